import { type CodesBy, type CodeTable, RpcError } from '../errors/rpc-error.ts';
import { CLOSE_EXPIRED, CLOSE_REFUSED, closeReason } from '../protocol/errors.ts';
import { BATCH_CONTENT_TYPE, BATCH_TYPE, REFUSAL_TYPE, readBatchType } from '../protocol/http.ts';
import { type Offer, readOffer } from '../protocol/version.ts';

/** HTTP statuses by error code, for clients that can see them. */
const STATUS: CodeTable<number> = {
  MALFORMED_FRAME: 400,
  EXPIRED: 401,
  DENIED: 403,
  NOT_FOUND: 404,
  TOO_LARGE: 413,
  VERSION_MISMATCH: 426,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
} satisfies CodesBy<'status', 500>;

/**
 * Answers a request that is refused. A browser shows a script neither the status nor the body of a refused upgrade. So
 * a client of this library gets a socket that closes at once with the reason; other clients get a status.
 */
export function refuse(request: Request, error: RpcError): Response {
  const status = STATUS[error.code] ?? 500;
  if (readBatchType(request.headers.get('Content-Type')).spoken) {
    return new Response(`${error.code}: ${error.message}`, { status, headers: { 'Content-Type': REFUSAL_TYPE } });
  }
  const offer = offerOf(request);
  if (offer === undefined) {
    return new Response(`${error.message}\n`, { status });
  }
  const [client, server] = Object.values(new WebSocketPair());
  server.accept();
  server.close(error.code === 'EXPIRED' ? CLOSE_EXPIRED : CLOSE_REFUSED, closeReason(error));
  return switchProtocols(client, offer.refusal);
}

/**
 * Reads the offer of a WebSocket upgrade. Other requests offer nothing, whatever their headers say, since no socket can
 * answer them.
 */
export function offerOf(request: Request): Offer | undefined {
  return readOffer(isUpgrade(request) ? request.headers.get('Sec-WebSocket-Protocol') : null);
}

/** Returns true if a request can be answered with a WebSocket. */
export function isUpgrade({ method, headers }: Request): boolean {
  return method === 'GET' && headers.get('Upgrade')?.toLowerCase() === 'websocket';
}

/** Makes the error for an upgrade that arrives too late: its client has connected again since. */
export function outdatedError(): RpcError {
  return new RpcError('NOT_EXECUTED', 'the client has connected since this upgrade was sent');
}

/**
 * Makes the caller's error for an error that `target`, or other code of the application, threw. An `RpcError` is passed
 * on as it is. Any other error is logged, and its message is passed on, as for errors of methods.
 */
export function errorOfTarget(error: unknown, what = 'target()'): RpcError {
  if (error instanceof RpcError) return error;
  console.error(`${what} failed:`, error);
  return new RpcError('INTERNAL', `${what} failed: ${error instanceof Error ? error.message : typeof error}`);
}

/** Answers a request that does not use this protocol, such as a visit with a browser. */
export function notRpc(request: Request): Response {
  if (request.method === 'POST') {
    const message = `A batch of calls has the content type ${BATCH_CONTENT_TYPE}: see '@lumenize/rpc/http'.\n`;
    return new Response(message, { status: 415, headers: { 'Accept-Post': BATCH_TYPE } });
  }
  const isVisit = request.method === 'GET';
  return new Response("This is an RPC endpoint: connect to it with connect() of '@lumenize/rpc'.\n", {
    status: isVisit ? 426 : 405,
    headers: isVisit ? { Upgrade: 'websocket' } : { Allow: 'GET, POST' },
  });
}

/** Completes an upgrade. */
export function switchProtocols(client: WebSocket, subprotocol: string): Response {
  return new Response(null, { status: 101, webSocket: client, headers: { 'Sec-WebSocket-Protocol': subprotocol } });
}
