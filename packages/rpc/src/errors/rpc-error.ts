/**
 * The code of a call that did not succeed: it tells what is known about the call. A method's own errors have none: they arrive as
 * they were thrown. The table of docs/guides/errors.md is made from this list by `npm run error-table`: of each code what
 * it means, whether the call ran, and what to do.
 *
 * - `NOT_EXECUTED`: There was no connection, or it ended before the call was sent, or another call of the frame was refused.
 *   Ran: no. To do: make it again.
 * - `OUTCOME_UNKNOWN`: The connection was lost after the call was sent, and its method is not declared to be made again.
 *   Ran: perhaps. To do: look what has become of it, and make it again only where twice does no harm.
 * - `NOT_FOUND`: The URL names no binding or no instance. Ran: no. To do: the message says which, and what a URL looks like.
 * - `METHOD_NOT_FOUND`: The target declares no such method or getter. Ran: no. To do: check the name, and that the class
 *   extends `RpcTarget`.
 * - `NOT_CLONEABLE`: An argument or a result holds something that cannot be sent; the message has the path to it.
 *   Ran: not where it is an argument. To do: send something else, or register its class.
 * - `TOO_LARGE`: A call or a result is larger than a message, or a stored result, may be.
 *   Ran: not where it is the call. To do: send less, or a stream.
 * - `LIMIT_EXCEEDED`: More than a connection may have or say at once, by a limit that the message names.
 *   Ran: not where it is about the call. To do: send fewer at a time; dispose of stubs.
 * - `OVERLOADED`: There is too much to do at the moment: at the object, or while calls wait for a connection.
 *   Ran: no. To do: make it again a little later.
 * - `RATE_LIMITED`: More operations in a time than the caller may have. Ran: no. To do: make it again after
 *   `error.data.retryAfterMs`.
 * - `INVALID_ARGUMENTS`: The method's schema refused the arguments. Ran: no. To do: look at `error.data.issues`.
 * - `MALFORMED_FRAME`: The other side sent, or says that this side did, what is no frame.
 *   Ran: no. To do: look for a defect, or for something between that changes frames.
 * - `VERSION_MISMATCH`: The two sides share no version of the protocol. Ran: no. To do: reload the page.
 * - `DENIED`: The caller may not connect, or may not make this call. Ran: no. To do: log in; check `allowedOrigins`.
 * - `EXPIRED`: What the caller logged in with has expired. Ran: no. To do: make it again with a new token, as a client does
 *   by itself whose `token` is a function.
 * - `ID_REUSED`: The call came under the id of another one, with another method or other arguments.
 *   Ran: no. To do: look for a defect, or for something between that changes frames.
 * - `REFERENCE_LOST`: What a stub stood for is gone: disposed of, lost with its connection, or forgotten in hibernation.
 *   Ran: no. To do: get it anew.
 * - `CANCELLED`: The caller's own signal was aborted. Ran: perhaps. To do: nothing, or as after a loss.
 * - `TIMED_OUT`: The caller's own time is over. Ran: perhaps. To do: nothing, or as after a loss.
 * - `INTERNAL`: A defect on the other side, the details of which stay there. Ran: perhaps. To do: look at the server's log.
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

/** Options of an `RpcError`, beside its code and message. */
export interface RpcErrorOptions extends ErrorOptions {
  /** Details for programs, by code; any value that can be cloned. */
  data?: unknown;
}

/** The library's own error: every call that neither returns nor throws its method's error rejects with one. */
export class RpcError extends Error {
  /** The code, which tells what is known about the call. */
  readonly code: RpcErrorCode;
  /** Details for programs: with `INVALID_ARGUMENTS` its `issues`, with `RATE_LIMITED` its `retryAfterMs`. */
  readonly data: unknown;

  /** Makes one, for a guard or a method that refuses a call in the library's own words. */
  constructor(code: RpcErrorCode, message: string, options?: RpcErrorOptions) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
    this.data = options?.data;
  }

  /** True if the call did not run, and may succeed when it is made again later. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** Returns the error itself where it is an `RpcError`, else one with this code and the error as its cause. */
export function asRpcError(error: unknown, code: RpcErrorCode): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(code, error instanceof Error ? error.message : String(error), { cause: error });
}
