import { RpcError } from '../../errors/rpc-error.ts';

const THROWN = new WeakSet<RpcError>();

/** Notes that a method threw an error of the library's kind, which the library itself did not make; returns the error. */
export function noteThrown(error: unknown): unknown {
  if (error instanceof RpcError) THROWN.add(error);
  return error;
}

/** Whether an error came out of a method: it is to be told of, unlike what the library refuses. */
export function wasThrown(error: unknown): boolean {
  return !(error instanceof RpcError) || THROWN.has(error);
}
