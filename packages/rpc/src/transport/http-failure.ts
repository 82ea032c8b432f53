import type { RpcErrorCode } from '../errors/rpc-error.ts';
import { type Close, REFUSAL_TYPE } from '../protocol/batch.ts';
import { CLOSE_REFUSED } from '../protocol/close-codes.ts';
import { errorOfClose } from '../protocol/loss.ts';

/** A connection that broke in the middle, as sockets call it. */
const CLOSE_ABNORMAL = 1006;

/**
 * Statuses by which a server, or whatever stands before it, says that it did not take the request at all. Others, such
 * as 500 and 504, leave open whether it ran.
 */
const REFUSALS: Readonly<Record<number, RpcErrorCode>> = {
  400: 'NOT_EXECUTED',
  401: 'DENIED',
  403: 'DENIED',
  404: 'NOT_FOUND',
  405: 'NOT_EXECUTED',
  411: 'NOT_EXECUTED',
  413: 'TOO_LARGE',
  415: 'NOT_EXECUTED',
  421: 'NOT_EXECUTED',
  426: 'NOT_EXECUTED',
  429: 'NOT_EXECUTED',
  431: 'NOT_EXECUTED',
};

/** Codes that Node's `fetch` gives as cause where it could not connect, so that nothing was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** How much of a stranger's page goes into a message. */
const MAX_QUOTE = 200;

/** What a response means that holds no frames. */
export async function closeOfResponse(url: string, response: Response): Promise<Close> {
  const text = await response.text();
  const type = response.headers.get('Content-Type');
  // Our server's own refusals are of our type, and say which error the calls reject with.
  if (type === REFUSAL_TYPE && errorOfClose(text) !== undefined) return { code: CLOSE_REFUSED, reason: text };
  const code = REFUSALS[response.status];
  const quote = text.trim().replace(/\s+/g, ' ').slice(0, MAX_QUOTE);
  if (code !== undefined) {
    return { code: CLOSE_REFUSED, reason: `${code}: ${url} answered ${response.status}: ${quote}` };
  }
  const what = response.ok ? `${type ?? 'an untyped body'}, which is no answer to a call` : quote;
  return { code: CLOSE_ABNORMAL, reason: `NOT_EXECUTED: ${url} answered ${response.status}: ${what}` };
}

/** What it means that a request failed, or that its answer could not be read. */
export function closeOfFailure(url: string, error: unknown): Close {
  const { cause } = error as { cause?: { code?: unknown } };
  if (NOT_CONNECTED.has(String(cause?.code))) {
    const reason = `NOT_EXECUTED: ${url} cannot be reached (${cause?.code}): is the Worker running?`;
    return { code: CLOSE_REFUSED, reason };
  }
  // Node's own message is always "fetch failed": what has failed is behind it.
  const why = cause === undefined ? '' : ` (${cause})`;
  return { code: CLOSE_ABNORMAL, reason: `NOT_EXECUTED: the request to ${url} failed: ${error}${why}` };
}
