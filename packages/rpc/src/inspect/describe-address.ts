import { type Address, keptAt, readResultReference } from '../protocol/address.ts';
import { readFailure } from '../protocol/channel.ts';
import { malformedFrame } from '../protocol/errors.ts';
import {
  ABORT_SIGNAL,
  FUNCTION,
  ITERABLE,
  PROMISE,
  READABLE,
  RESULT,
  readId,
  TARGET,
  TOPIC,
  VALUE,
  WRITABLE,
} from '../protocol/tags.ts';
import { readTopic } from '../protocol/topic.ts';
import { ByReference, type ReferenceKind } from './frame-description.ts';

/** Things of the sender of a frame that it names by an id. */
const HELD: readonly string[] = [
  TARGET,
  FUNCTION,
  READABLE,
  WRITABLE,
  ITERABLE,
  PROMISE,
  ABORT_SIGNAL,
] satisfies ReferenceKind[];

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
export function markOf(name: string, parts: unknown[], callId: number | undefined, index: number): unknown {
  if (name === VALUE) return parts[0];
  if (name === TOPIC) return new ByReference('subscription', undefined, [], readTopic(parts));
  if (name === RESULT) {
    const { address, path } = readResultReference(parts, index);
    return addressed(address, callId ?? 0, path);
  }
  if (!HELD.includes(name)) throw malformedFrame(`type ${name} is unknown`);
  const [id, ...rest] = parts;
  if (name === ABORT_SIGNAL && id === null) return new ByReference(name, undefined, [], readFailure(rest));
  return new ByReference(name as ReferenceKind, readId(id), [], rest[0]);
}
