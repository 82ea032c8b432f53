import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';
import { idOfCalls } from './tags.ts';

/** First part of an entry of two: says what the second is. */
export const THROWN = 0;
export const RPC_ERROR = 1;
export const FRAME_REFUSED = 2;
/** A value that the server keeps until the client says that it has arrived. */
export const STORED = 3;
/** The same of a step, whose value is not sent. */
export const STORED_STEP = 4;

/** Outcome of one call. */
export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** The outcome of an operation, or a promise of it, which never rejects. */
export type Pending = Outcome | Promise<Outcome>;

/** Receives the entries of a result frame in order. */
export interface ResultHandler {
  settle(id: number, outcome: Outcome): void;
  /** The result of this call, or step, is kept, until it is said that it has arrived. */
  stored(id: number): void;
  /** The whole call frame that began with `firstId` did not run, because of its operation `index`. */
  refused(firstId: number, index: number, error: RpcError): void;
}

/** Reads an entry that is about the call with this id: of one part it is a value, of none undefined; of two the first says what it is. */
export function readResult(id: number, entry: unknown, handler: ResultHandler): void {
  if (!Array.isArray(entry)) throw malformedFrame('a result is not a list');
  if (entry.length < 2) handler.settle(id, { ok: true, value: entry[0] });
  else readFailure(id, entry, handler);
}

function readFailure(id: number, [kind, content]: unknown[], handler: ResultHandler): void {
  if (kind === STORED) {
    handler.stored(id);
    return handler.settle(id, { ok: true, value: content });
  }
  if (kind === STORED_STEP) return handler.stored(id);
  if (kind === THROWN) return handler.settle(id, { ok: false, error: content });
  const [code, message, ...rest] = Array.isArray(content) ? content : [];
  // No texts are made of anything else: a short value can come to an endless one.
  if (typeof code !== 'string' || typeof message !== 'string') throw malformedFrame('a failure without its code');
  const index = kind === RPC_ERROR ? 0 : (rest.shift() as number);
  // A newer server may have codes that this client has not heard of; they are no less true.
  const error = new RpcError(code as RpcErrorCode, message, { data: rest[0] });
  if (kind === RPC_ERROR) handler.settle(id, { ok: false, error });
  else handler.refused(id, index, error);
}

/** Says that the result of a step is kept. */
export const STORED_STEP_ENTRY = [STORED_STEP, null];

/** Makes the entry of what became of a call, whose result is kept until the other side says that it has arrived where it `isStored`. */
export function outcomeEntry(outcome: Outcome, isStored?: boolean): unknown[] {
  if (!outcome.ok)
    return outcome.error instanceof RpcError ? [RPC_ERROR, errorContent(outcome.error)] : [THROWN, outcome.error];
  const { value } = outcome;
  if (isStored) return [STORED, value];
  return value === undefined ? [] : [value];
}

/** Makes the entry that says that a call frame did not run. */
export function refusedEntry(index: number, error: RpcError): unknown[] {
  const [code, message, ...data] = errorContent(error);
  return [FRAME_REFUSED, [code, message, index, ...data]];
}

function errorContent({ code, message, data }: RpcError): [code: string, message: string, data?: unknown] {
  return data === undefined ? [code, message] : [code, message, data];
}

/**
 * Makes the result frame with which a server would refuse a call frame, for a transport that took the frame and knows
 * that it never left: its calls can say that they did not run, and need not say that they may have. Undefined where the
 * frame holds no calls. `index` is the place of the call that is to blame.
 */
export function answerUnsent(frame: Message, index: number, error: RpcError): Message | undefined {
  const firstId = idOfCalls(frame, 'calls');
  return firstId === undefined ? undefined : refusalFrame(firstId, index, error);
}

/** Makes the result frame that refuses the call frame that began with this id, with an error whose data JSON can say. */
export function refusalFrame(firstId: number, index: number, error: RpcError): Message {
  return JSON.stringify([firstId, refusedEntry(index, error)]);
}
