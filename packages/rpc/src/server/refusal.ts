import type { RpcError, RpcErrorCode } from '../errors/rpc-error.ts';
import { CLOSE_REFUSED, closeReason } from '../protocol/close-codes.ts';
import { readOffer } from '../protocol/version.ts';

/** HTTP statuses for those who can see them. */
const STATUS: Partial<Record<RpcErrorCode, number>> = { DENIED: 403, NOT_FOUND: 404, VERSION_MISMATCH: 426 };

/**
 * Answers a request that may not or cannot be served. A browser shows a script neither the status nor the body of a
 * refused upgrade: so a client of ours is told by a socket that closes at once with the reason, anyone else by a status.
 */
export function refuse(request: Request, error: RpcError): Response {
  const offer = readOffer(request.headers.get('Sec-WebSocket-Protocol'));
  if (request.headers.get('Upgrade')?.toLowerCase() !== 'websocket' || !offer.spoken) {
    return new Response(`${error.message}\n`, { status: STATUS[error.code] ?? 500 });
  }
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.close(CLOSE_REFUSED, closeReason(error));
  return switchProtocols(client, offer.echo);
}

/** Completes an upgrade. */
export function switchProtocols(client: WebSocket, subprotocol: string): Response {
  return new Response(null, { status: 101, webSocket: client, headers: { 'Sec-WebSocket-Protocol': subprotocol } });
}
