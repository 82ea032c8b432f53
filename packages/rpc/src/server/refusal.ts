import { CLOSE, closeReason } from '../protocol/close-codes.ts';
import { readOffer } from '../protocol/version.ts';

/** HTTP statuses for those who can see them. */
const STATUS = new Map<number, number>([
  [CLOSE.denied, 403],
  [CLOSE.notFound, 404],
  [CLOSE.versionMismatch, 426],
]);

/**
 * Answers a request that may not or cannot be served. A client of ours is told by a socket that closes at once with
 * the code and the reason, since a refused upgrade would tell it nothing; anyone else by an HTTP status.
 */
export function refuse(request: Request, code: number, reason: string): Response {
  const offer = readOffer(request.headers.get('Sec-WebSocket-Protocol'));
  if (request.headers.get('Upgrade')?.toLowerCase() !== 'websocket' || !offer.spoken) {
    return new Response(`${reason}\n`, { status: STATUS.get(code) ?? 500 });
  }
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.close(code, closeReason(reason));
  return switchProtocols(client, offer.echo);
}

/** Completes an upgrade. */
export function switchProtocols(client: WebSocket, subprotocol: string): Response {
  return new Response(null, { status: 101, webSocket: client, headers: { 'Sec-WebSocket-Protocol': subprotocol } });
}
