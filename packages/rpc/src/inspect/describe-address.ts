import { type Address, keptAt } from '../protocol/address.ts';
import { readFailure } from '../protocol/channel.ts';
import {
  ABORT_SIGNAL,
  FUNCTION,
  ITERABLE,
  PROMISE,
  READABLE,
  RESULT,
  readId,
  TARGET,
  VALUE,
  WRITABLE,
} from '../protocol/extension.ts';
import { malformedFrame } from '../protocol/malformed.ts';
import { readResultReference } from '../protocol/result-reference.ts';
import { readTopic } from '../protocol/topic.ts';
import { ByReference, type ReferenceKind } from './frame-description.ts';

/** Things of the sender of a frame that it names by an id. */
const HELD: ReadonlyMap<number, ReferenceKind> = new Map([
  [TARGET, 'target'],
  [FUNCTION, 'function'],
  [READABLE, 'readable'],
  [WRITABLE, 'writable'],
  [ITERABLE, 'iterable'],
  [PROMISE, 'promise'],
  [ABORT_SIGNAL, 'signal'],
]);

/** Describes what an address leads to, in the operation with this id. */
export function addressed(address: Address, callId: number, path: readonly string[] = []): ByReference {
  if (address === 0) return new ByReference('connection target', undefined, path);
  if (address > 0) return new ByReference('result', callId - address, path);
  const { kind, id } = keptAt(address)!;
  return new ByReference(kind, id, path);
}

/**
 * Describes what an extension of the codec stands for; `index` is the place of the operation that it is in, for checking.
 * @throws {RpcError} where it is malformed
 */
export function markOf(kind: number, payload: unknown, callId: number | undefined, index: number): unknown {
  if (kind === VALUE) return payload;
  if (kind === RESULT) {
    const { address, path } = readResultReference(payload, index);
    return addressed(address, callId ?? 0, path);
  }
  const held = HELD.get(kind);
  if (held === undefined) throw malformedFrame(`extension ${kind} here`);
  if (!Array.isArray(payload)) return new ByReference(held, readId(payload));
  if (kind === READABLE) return new ByReference(held, readId(payload[0]), [], 'bytes');
  if (kind === ABORT_SIGNAL) return new ByReference(held, undefined, [], readFailure(payload));
  throw malformedFrame(`extension ${kind} without its id`);
}

/** The mark of a subscription. */
export function subscriptionMark(payload: unknown): ByReference {
  return new ByReference('subscription', undefined, [], readTopic(payload));
}
