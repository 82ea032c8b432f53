import { CloneError } from '@lumenize/structured-clone';
import { asRpcError, RpcError } from '../errors/rpc-error.ts';

/** Makes the error for a frame that says what no peer would. */
export function malformedFrame(what: string): RpcError {
  return new RpcError('MALFORMED_FRAME', `malformed: ${what}`);
}

/** Turns what reading a frame threw into the library's error. */
export function asFrameError(error: unknown): RpcError {
  if (!(error instanceof CloneError)) return asRpcError(error, 'INTERNAL');
  return asRpcError(error, error.code === 'MALFORMED' ? 'MALFORMED_FRAME' : error.code);
}
