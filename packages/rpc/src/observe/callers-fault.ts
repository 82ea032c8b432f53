import type { RpcErrorCode } from '../errors/rpc-error.ts';

const OF_CALLERS: ReadonlySet<RpcErrorCode> = new Set([
  'DENIED',
  'EXPIRED',
  'INVALID_ARGUMENTS',
  'METHOD_NOT_FOUND',
  'RATE_LIMITED',
  'CANCELLED',
  'TIMED_OUT',
  'REFERENCE_LOST',
]);

/** Whether a code says that the caller did something wrong, or gave up: no failure of the side that answers. */
export function isCallersFault(code: RpcErrorCode | undefined): boolean {
  return code !== undefined && OF_CALLERS.has(code);
}
