import { CLOSE_EXPIRED, CLOSE_REFUSED, closeReason } from '../closes.ts';
import { RpcError } from '../errors.ts';
import type { Offer } from './offer.ts';

/**
 * Refuses an upgrade. A browser shows a script neither the status nor the body of a refused upgrade, so the client gets
 * a socket that closes at once with the reason.
 */
export function refuseUpgrade(
  { refusal }: Offer,
  error: RpcError,
  code = error.code === 'EXPIRED' ? CLOSE_EXPIRED : CLOSE_REFUSED,
): Response {
  const [theirs, ours] = Object.values(new WebSocketPair());
  ours.accept();
  ours.close(code, closeReason(error));
  return switchProtocols(theirs, refusal);
}

/** Completes an upgrade. */
export function switchProtocols(client: WebSocket, subprotocol: string): Response {
  return new Response(null, { status: 101, webSocket: client, headers: { 'Sec-WebSocket-Protocol': subprotocol } });
}

/** Makes the caller's error for an error that `target` threw. Only an `RpcError` is meant for callers. */
export function errorOfTarget(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  console.error('target() failed:', error);
  return new RpcError('INTERNAL', `target() failed: ${error instanceof Error ? error.message : typeof error}`);
}
