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
 * - `LIMIT_EXCEEDED`: more calls than a connection may have; make it again when some have been answered.
 * - `MALFORMED_FRAME`: the other side sent, or claims to have received, something that is no frame.
 * - `VERSION_MISMATCH`: the two sides share no version of the protocol; a page may need to be reloaded.
 * - `DENIED`: the caller may not connect.
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
  'MALFORMED_FRAME',
  'VERSION_MISMATCH',
  'DENIED',
  'REFERENCE_LOST',
  'CANCELLED',
  'TIMED_OUT',
  'INTERNAL',
] as const;

/** The library's own error: every call that neither returns nor throws its method's error rejects with one. */
export class RpcError extends Error {
  readonly code: RpcErrorCode;

  constructor(code: RpcErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RpcError';
    this.code = code;
  }
}

/** Returns the error itself where it is an `RpcError`, else one with this code and the error as its cause. */
export function asRpcError(error: unknown, code: RpcErrorCode): RpcError {
  if (error instanceof RpcError) return error;
  return new RpcError(code, error instanceof Error ? error.message : String(error), { cause: error });
}
