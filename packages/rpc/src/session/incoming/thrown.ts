import { RpcError } from '../../errors/rpc-error.ts';

/** Of errors of the library's kind: that a method threw one, or the server refused a call with it, and the defect behind that. */
const NOTED = new WeakMap<RpcError, { readonly isThrown?: boolean; readonly defect?: unknown }>();

/** Notes that a method threw an error of the library's kind, which the library itself did not make; returns the error. */
export function noteThrown(error: unknown): unknown {
  if (error instanceof RpcError && !NOTED.has(error)) NOTED.set(error, { isThrown: true });
  return error;
}

/** Notes that a call was refused before its method ran, also by code of the server's own; returns the error. */
export function noteRefused(error: RpcError, behind: { readonly defect?: unknown } = {}): RpcError {
  NOTED.set(error, behind);
  return error;
}

/** Returns the error for a call that is not made again but may have run before: nobody knows whether it did. */
export function inDoubt(refusal: RpcError): RpcError {
  return new RpcError('OUTCOME_UNKNOWN', `it may have run, and was refused when it was made again: ${refusal.message}`);
}

/** The error for a call that its caller may not make. */
export function denial(name: string): RpcError {
  return noteRefused(new RpcError('DENIED', `${name} may not be called by this caller`));
}

/** Returns true if an error came out of a method. Such an error is reported, unlike what the library refuses. */
export function wasThrown(error: unknown): boolean {
  return !(error instanceof RpcError) || NOTED.get(error)?.isThrown === true;
}

/**
 * Returns the defect for which the server refused a call that it should have been able to judge. It is reported, and
 * not shown to strangers.
 */
export function defectBehind(error: unknown): { readonly defect?: unknown } | undefined {
  const note = NOTED.get(error as RpcError);
  return note && 'defect' in note ? note : undefined;
}
