import { RpcError } from '../../errors/rpc-error.ts';

/**
 * Notes about an `RpcError`: its source, which is a method or a refusal by the server, and the defect behind the
 * refusal.
 */
const NOTED = new WeakMap<RpcError, { readonly isThrown?: boolean; readonly defect?: unknown }>();

/** Notes that a method threw an `RpcError` that the library did not create. Returns the error. */
export function noteThrown(error: unknown): unknown {
  if (error instanceof RpcError && !NOTED.has(error)) NOTED.set(error, { isThrown: true });
  return error;
}

/**
 * Notes that a call was refused before its method ran, by the library or by the server's own code. Returns the error.
 */
export function noteRefused(error: RpcError, behind: { readonly defect?: unknown } = {}): RpcError {
  NOTED.set(error, behind);
  return error;
}

/** Returns the error for a call that was sent again and does not run. Nobody knows whether it has run before. */
export function inDoubt(refusal: RpcError): RpcError {
  return new RpcError('OUTCOME_UNKNOWN', `it may have run, and was refused when it was sent again: ${refusal.message}`);
}

/** Creates the error for a call that its caller may not make. */
export function denial(name: string): RpcError {
  return noteRefused(new RpcError('DENIED', `${name} may not be called by this caller`));
}

/** Returns true if a method threw the error. Such errors are reported, and refusals of the library are not. */
export function wasThrown(error: unknown): boolean {
  return !(error instanceof RpcError) || NOTED.get(error)?.isThrown === true;
}

/** Returns the defect that kept the server from deciding about a call. It is reported, but not shown to strangers. */
export function defectBehind(error: unknown): { readonly defect?: unknown } | undefined {
  const note = NOTED.get(error as RpcError);
  return note && 'defect' in note ? note : undefined;
}
