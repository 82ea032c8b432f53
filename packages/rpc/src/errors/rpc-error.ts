/**
 * What is known about a call that did not succeed of itself. A method's own errors are not among these: they arrive as
 * they were thrown.
 *
 * - `NOT_EXECUTED`: the call did not run; it can be made again.
 * - `OUTCOME_UNKNOWN`: the connection was lost after the call was sent; it may have run.
 * - `NOT_FOUND`: the URL names no binding or no instance.
 * - `METHOD_NOT_FOUND`: the target declares no such method or getter.
 * - `NOT_CLONEABLE`: an argument or a result holds something that cannot be sent.
 * - `TOO_LARGE`: a call or a result is larger than a frame may be.
 * - `LIMIT_EXCEEDED`: more than a connection may have or say at once, by a limit that the message names.
 * - `OVERLOADED`: there is too much to do at the moment; it did not run, and can be made again a little later.
 * - `RATE_LIMITED`: more operations in a time than the caller may have; it did not run, and can be made again later.
 * - `INVALID_ARGUMENTS`: the method's schema refused the arguments; the error's `data` lists what is wrong with them.
 * - `MALFORMED_FRAME`: the other side sent, or claims to have received, something that is no frame.
 * - `VERSION_MISMATCH`: the two sides share no version of the protocol; a page may need to be reloaded.
 * - `DENIED`: the caller may not connect, or may not make this call.
 * - `EXPIRED`: what the caller logged in with has expired; it did not run.
 * - `ID_REUSED`: a call came under the id of another one, with another method or other arguments; it did not run.
 * - `REFERENCE_LOST`: what a stub stood for is no longer there: it was disposed of, or lost with its connection.
 * - `CANCELLED`: the caller's own signal was aborted; the call may have run.
 * - `TIMED_OUT`: the caller's own time is over; the call may have run.
 * - `INTERNAL`: a defect on the other side; its details stay there.
 */
export type RpcErrorCode = (typeof RPC_ERROR_CODES)[number];

/** All codes. On the wire a code is its name, so that the order here means nothing. */
export const RPC_ERROR_CODES = [
  'NOT_EXECUTED',
  'OUTCOME_UNKNOWN',
  'NOT_FOUND',
  'METHOD_NOT_FOUND',
  'NOT_CLONEABLE',
  'TOO_LARGE',
  'LIMIT_EXCEEDED',
  'OVERLOADED',
  'RATE_LIMITED',
  'INVALID_ARGUMENTS',
  'MALFORMED_FRAME',
  'VERSION_MISMATCH',
  'DENIED',
  'EXPIRED',
  'ID_REUSED',
  'REFERENCE_LOST',
  'CANCELLED',
  'TIMED_OUT',
  'INTERNAL',
] as const;

/** Codes of calls that did not run, and may well run when they are made again. */
const RETRYABLE: ReadonlySet<RpcErrorCode> = new Set(['NOT_EXECUTED', 'OVERLOADED', 'RATE_LIMITED', 'EXPIRED']);

/** What an `RpcError` can say beside its code and message. */
export interface RpcErrorOptions extends ErrorOptions {
  /** Details for programs, by code; any value that can be cloned. */
  data?: unknown;
}

/** The library's own error: every call that neither returns nor throws its method's error rejects with one. */
export class RpcError extends Error {
  readonly code: RpcErrorCode;
  /** Details for programs: with `INVALID_ARGUMENTS` its `issues`, with `RATE_LIMITED` its `retryAfterMs`. */
  readonly data: unknown;

  constructor(code: RpcErrorCode, message: string, options?: RpcErrorOptions) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
    this.data = options?.data;
  }

  /** Whether the call did not run, and may succeed when it is made again, by and by. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** Returns the error itself where it is an `RpcError`, else one with this code and the error as its cause. */
export function asRpcError(error: unknown, code: RpcErrorCode): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(code, error instanceof Error ? error.message : String(error), { cause: error });
}
