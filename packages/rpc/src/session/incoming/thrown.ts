import { RpcError } from '../../errors/rpc-error.ts';

const THROWN = new WeakSet<RpcError>();
/** What was refused before a method ran, and the defect behind that, where there is one. */
const REFUSED = new WeakMap<RpcError, { readonly defect: unknown } | undefined>();

/** Notes that a method threw an error of the library's kind, which the library itself did not make; returns the error. */
export function noteThrown(error: unknown): unknown {
  if (error instanceof RpcError && !REFUSED.has(error)) THROWN.add(error);
  return error;
}

/** Notes that a call was refused before its method ran, also by code of the server's own; returns the error. */
export function noteRefused(error: RpcError, behind?: { readonly defect: unknown }): RpcError {
  REFUSED.set(error, behind);
  return error;
}

/** The error for a call that its caller may not make. */
export function denial(name: string): RpcError {
  return noteRefused(new RpcError('DENIED', `${name} may not be called by this caller`));
}

/** Whether an error came out of a method: it is to be told of, unlike what the library refuses. */
export function wasThrown(error: unknown): boolean {
  return !(error instanceof RpcError) || THROWN.has(error);
}

/** What made the server refuse a call that it should have been able to judge: to be told of, and not for strangers. */
export function defectBehind(error: unknown): { readonly defect: unknown } | undefined {
  return error instanceof RpcError ? REFUSED.get(error) : undefined;
}
