import { toJson } from '@lumenize/structured-clone/messages';
import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';
import { idOfCalls } from './tags.ts';

/** First part of an entry of two parts. It says what the second part is. */
export const THROWN = 0;
export const RPC_ERROR = 1;
export const FRAME_REFUSED = 2;
/** The second part is a value that the server keeps until the client confirms that it has arrived. */
export const STORED = 3;
/** The same for a step, whose value is not sent. */
export const STORED_STEP = 4;

/** The outcome of one call. */
export type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

/** The outcome of an operation, or a promise of the outcome, which never rejects. */
export type Pending = Outcome | Promise<Outcome>;

/** Receives the entries of a result frame in order. */
export interface ResultHandler {
  settle(id: number, outcome: Outcome): void;
  /** Called when the server keeps the result of this call or step until the client confirms that it has arrived. */
  stored(id: number): void;
  /** Called when the whole call frame that began with `firstId` did not run. The operation at `index` is to blame. */
  refused(firstId: number, index: number, error: RpcError): void;
}

/**
 * Reads the entry about the call with this id. An empty entry is undefined, one part is the value, and of two parts the
 * first says what the second is.
 */
export function readResult(id: number, entry: unknown, handler: ResultHandler): void {
  if (!Array.isArray(entry)) throw malformedFrame('a result is not a list');
  if (entry.length < 2) handler.settle(id, { ok: true, value: entry.at(0) });
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
  const index = kind === RPC_ERROR ? 0 : rest.shift();
  // Other values are not converted to text: a short value can become an endless text.
  if (typeof code !== 'string' || typeof message !== 'string' || !Number.isSafeInteger(index))
    throw malformedFrame('a failure without its code');
  // A newer server may use codes that this client does not know. They are just as valid.
  const error = new RpcError(code as RpcErrorCode, message, { data: rest[0] });
  if (kind === RPC_ERROR) handler.settle(id, { ok: false, error });
  else handler.refused(id, index as number, error);
}

/** The entry that says that the result of a step is stored. */
export const STORED_STEP_ENTRY = [STORED_STEP, null];

/**
 * Returns the entry for the outcome of a call. With `isStored`, the result is kept until the peer confirms that it has
 * arrived.
 */
export function outcomeEntry(outcome: Outcome, isStored?: boolean): unknown[] {
  if (!outcome.ok)
    return isWritable(outcome.error) ? [RPC_ERROR, errorContent(outcome.error)] : [THROWN, outcome.error];
  const { value } = outcome;
  if (isStored) return [STORED, value];
  return value === undefined ? [] : [value];
}

/** Returns the entry that says that a call frame did not run. */
export function refusedEntry(index: number, error: RpcError): unknown[] {
  const [code, message, ...data] = errorContent(error);
  return [FRAME_REFUSED, [code, message, index, ...data]];
}

/**
 * Returns true for an error of the library whose code and message are text. If anything else was assigned to them, the
 * error is a value like any other.
 */
export function isWritable(error: unknown): error is RpcError {
  return error instanceof RpcError && typeof error.code === 'string' && typeof error.message === 'string';
}

/** Returns the parts that encode an error of the library. */
export function errorContent({ code, message, data }: RpcError): [code: string, message: string, data?: unknown] {
  return data === undefined ? [code, message] : [code, message, data];
}

/**
 * Returns the result frame with which a server would refuse a call frame. It is for a transport that took the frame and
 * knows that it never left, so that the calls reject as not run, instead of as perhaps run. Undefined if the frame
 * holds no calls. `index` is the place of the call that is to blame.
 */
export function answerUnsent(frame: Message, index: number, error: RpcError): Message | undefined {
  const firstId = idOfCalls(frame, 'calls');
  return firstId === undefined ? undefined : refusalFrame(firstId, index, error);
}

/**
 * Returns the result frame that refuses the call frame that began with this id. The error's data must be valid in JSON.
 */
export function refusalFrame(firstId: number, index: number, error: RpcError): Message {
  return toJson([firstId, refusedEntry(index, error)]);
}
