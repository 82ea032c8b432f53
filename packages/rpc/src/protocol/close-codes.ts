import type { RpcErrorCode } from '../errors/rpc-error.ts';

/**
 * Why a socket was closed. A browser shows a script neither the status nor the body of a refused upgrade, only the code
 * and the reason of a close: so refusals are sockets that are accepted and closed at once with one of these.
 */
export const CLOSE = {
  normal: 1000,
  goingAway: 1001,
  unsupportedData: 1003,
  malformed: 1007,
  tooLarge: 1009,
  internal: 1011,
  denied: 4403,
  notFound: 4404,
  versionMismatch: 4426,
  targetFailed: 4500,
} as const;

const ERROR_OF_CLOSE = new Map<number, RpcErrorCode>([
  [CLOSE.unsupportedData, 'MALFORMED_FRAME'],
  [CLOSE.malformed, 'MALFORMED_FRAME'],
  [CLOSE.tooLarge, 'TOO_LARGE'],
  [CLOSE.internal, 'INTERNAL'],
  [CLOSE.denied, 'DENIED'],
  [CLOSE.notFound, 'NOT_FOUND'],
  [CLOSE.versionMismatch, 'VERSION_MISMATCH'],
  [CLOSE.targetFailed, 'INTERNAL'],
]);

/** The error that a close stands for; undefined where the connection was just lost. */
export function errorOfClose(code: number): RpcErrorCode | undefined {
  return ERROR_OF_CLOSE.get(code);
}

/** Whether a close refuses the connection, so that nothing sent on it ran. */
export function isRefusal(code: number): boolean {
  return code >= CLOSE.denied && errorOfClose(code) !== undefined;
}

/** Cuts a reason to the 123 bytes of UTF-8 that a close frame has room for. */
export function closeReason(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(123));
  return text.slice(0, read);
}
