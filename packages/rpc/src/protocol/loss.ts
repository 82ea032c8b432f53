import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_REFUSED,
  CLOSE_TOO_LARGE,
  CLOSE_TRY_LATER,
  CLOSE_UNSUPPORTED_DATA,
} from './close-codes.ts';

/** Reads the error from a reason; undefined where the connection was just lost. */
export function errorOfClose(reason: string): RpcError | undefined {
  const [, code, message] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return code === undefined ? undefined : new RpcError(code as RpcErrorCode, message);
}

/**
 * Says what a close means for the calls that were sent, and for whoever thinks of connecting again. Only what `canBeRefused`
 * is: over a connection that was used, any code may come from the application, or from a proxy.
 */
export function lossOf(
  code: number,
  reason: string,
  canBeRefused: boolean,
): { error: RpcError | undefined; isRefused: boolean; isBlamed: boolean; isTemporary: boolean } {
  const error = errorOfClose(reason);
  const isRefused = canBeRefused && code >= CLOSE_REFUSED && code !== CLOSE_EXPIRED;
  const isFinal = isRefused
    ? error === undefined || !TEMPORARY.has(error.code)
    : FINAL.has(code) || error?.code === 'VERSION_MISMATCH';
  return { error, isRefused, isBlamed: BLAMED.has(code), isTemporary: !isFinal };
}

/** Whether the other side has too much to do. */
export function isOverload(code: number, error: RpcError): boolean {
  return code === CLOSE_TRY_LATER || error.code === 'OVERLOADED';
}

const TEMPORARY: ReadonlySet<RpcErrorCode> = new Set(['NOT_EXECUTED', 'OVERLOADED']);
const FINAL: ReadonlySet<number> = new Set([CLOSE_POLICY, CLOSE_EXPIRED]);
/** What was sent made the other side close, and would again. */
const BLAMED: ReadonlySet<number> = new Set([CLOSE_UNSUPPORTED_DATA, CLOSE_MALFORMED, CLOSE_TOO_LARGE]);
