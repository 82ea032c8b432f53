import { CLOSE_EXPIRED, CLOSE_REFUSED, closeReason } from '../closes.ts';
import { type CodesBy, type CodeTable, RpcError } from '../errors.ts';
import { BATCH_TYPE, REFUSAL_TYPE } from '../transport/batch.ts';
import { readOffer } from './offer.ts';

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

/** The parts of a content type. */
function typeOf({ headers }: Request): string[] {
  const type = headers.get('Content-Type') ?? '';
  return type.split(';').map((part) => part.trim().toLowerCase());
}

const [TYPE, VERSION] = BATCH_TYPE.split('; ');

/** Returns true if a request is a batch of calls, of any version. */
export function isBatch(request: Request): boolean {
  return request.method === 'POST' && typeOf(request)[0] === TYPE;
}

/** Returns true if a batch is of the version that this server speaks. */
export function isSpoken(request: Request): boolean {
  return typeOf(request).includes(VERSION);
}

/**
 * Answers a request that is refused. A browser shows a script neither the status nor the body of a refused upgrade. So
 * a client of this library gets a socket that closes at once with the reason; other clients get a status.
 */
export function refuse(
  request: Request,
  error: RpcError,
  code = error.code === 'EXPIRED' ? CLOSE_EXPIRED : CLOSE_REFUSED,
): Response {
  const status = STATUS[error.code] ?? 500;
  if (isBatch(request)) {
    return new Response(`${error.code}: ${error.message}`, { status, headers: { 'Content-Type': REFUSAL_TYPE } });
  }
  const offer = readOffer(request);
  if (offer === undefined) return new Response(`${error.message}\n`, { status });
  const [theirs, ours] = Object.values(new WebSocketPair());
  ours.accept();
  ours.close(code, closeReason(error));
  return switchProtocols(theirs, offer.refusal);
}

/** Makes the error for a client that offers no version of the protocol that this server speaks. */
export function versionError(): RpcError {
  const message = 'the server speaks version 3 of the protocol only: reload the page, or update the older side';
  return new RpcError('VERSION_MISMATCH', message);
}

/**
 * Makes the caller's error for an error that code of the application threw, which `what` names. An `RpcError` is passed on
 * as it is. Any other error is logged, and its message is passed on, as for errors of methods; clients try again.
 */
export function errorOf(error: unknown, what: string): RpcError {
  if (error instanceof RpcError) return error;
  console.error(`${what} failed:`, error);
  return new RpcError('NOT_EXECUTED', `${what} failed: ${error instanceof Error ? error.message : typeof error}`);
}

/** Answers a request that does not use this protocol, such as a visit with a browser. */
export function notRpc({ method }: Request): Response {
  if (method === 'POST') {
    const message = `A batch of calls has the content type ${BATCH_TYPE}: see '@lumenize/rpc/http'.\n`;
    return new Response(message, { status: 415, headers: { 'Accept-Post': TYPE } });
  }
  const isVisit = method === 'GET';
  return new Response("This is an RPC endpoint: connect to it with connect() of '@lumenize/rpc'.\n", {
    status: isVisit ? 426 : 405,
    headers: isVisit ? { Upgrade: 'websocket' } : { Allow: 'GET, POST' },
  });
}

/** Completes an upgrade. */
export function switchProtocols(client: WebSocket, subprotocol: string): Response {
  return new Response(null, { status: 101, webSocket: client, headers: { 'Sec-WebSocket-Protocol': subprotocol } });
}
