import { isFinal, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_NORMAL, CLOSE_REFUSED, errorOfClose } from '../protocol/errors.ts';
import {
  BATCH_CONTENT_TYPE,
  BATCH_PREFIX_BYTES,
  type Close,
  REFUSAL_TYPE,
  readBatch,
  readBatchType,
  writeBatch,
} from '../protocol/http.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import type { HeadersInit, RequestInit, Response } from '../protocol/platform-types.ts';
import { answerUnsent } from '../protocol/result-frame.ts';
import { type TokenOption, tokenOf } from '../protocol/token.ts';
import { authorizationOf } from '../protocol/version.ts';
import type { OpenTransport, Transport, TransportEvents } from './transport.ts';

/** Options for making requests. */
export interface HttpOptions {
  /**
   * Token of the caller, sent as `Authorization: Bearer`. A function is called for each request, and once more if the token
   * has expired.
   */
  token?: TokenOption;
  /** The function that makes the requests, such as the `fetch` of a service binding. @default the platform's `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Headers of every request. A function is called for each request, for example for a token that expires. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Controls cookies: `'include'` sends them to other origins too. @default 'same-origin', the platform's own */
  credentials?: 'omit' | 'same-origin' | 'include';
}

/**
 * Carries frames by POST. There is one request at a time, so that calls begin in the order they were made. Frames that
 * are sent meanwhile wait, and share the next request as long as its body stays within `maxBodyBytes`.
 */
export function httpTransport(url: string, options: HttpOptions, maxBodyBytes: number): OpenTransport {
  const open = (events: TransportEvents): Transport => {
    let waiting: Message[] = [];
    let isPosting = false;
    let hasEnded = false;
    const end = ({ code, reason }: Close) => {
      if (hasEnded) return;
      hasEnded = true;
      // After a refusal, none of the calls has run. After any other failure, only the calls of waiting frames are known
      // not to have run.
      if (code !== CLOSE_NORMAL && code < CLOSE_REFUSED) {
        const error = new RpcError('NOT_EXECUTED', 'not sent, because the request before it failed: call again');
        for (const frame of waiting) {
          const answer = answerUnsent(frame, 0, error);
          if (answer !== undefined) events.received(answer);
        }
      }
      waiting = [];
      events.closed(code, reason);
    };
    const postAll = async () => {
      while (waiting.length > 0 && !hasEnded) {
        const close = await post(url, options, waiting.splice(0, countThatFit(waiting, maxBodyBytes)), events);
        if (close !== undefined) return end(close);
      }
      isPosting = false;
    };
    queueMicrotask(events.opened);
    return {
      send(frame) {
        if (hasEnded) return;
        waiting.push(frame);
        // Posted one microtask later, so that frames that are sent together share a request.
        if (!isPosting) queueMicrotask(postAll);
        isPosting = true;
      },
      close: (code, reason) => queueMicrotask(() => end({ code, reason })),
    };
  };
  return Object.assign(open, { stateless: true });
}

/** Returns how many frames go into one request: as many as fit into its body, and at least one. */
function countThatFit(frames: readonly Message[], maxBodyBytes: number): number {
  let size = 0;
  const tooMany = frames.findIndex((frame, index) => {
    size += BATCH_PREFIX_BYTES + countedBytes(frame, maxBodyBytes, size);
    return index > 0 && size > maxBodyBytes;
  });
  return tooMany < 0 ? frames.length : tooMany;
}

/**
 * Makes one request, and another one with a new token if the token has expired. Returns the close if the request ends
 * the connection, otherwise undefined.
 */
async function post(
  url: string,
  options: HttpOptions,
  frames: Message[],
  events: TransportEvents,
  isRenewed = false,
): Promise<Close | undefined> {
  const { fetch = globalThis.fetch, headers: given, token, credentials } = options;
  let headers: Headers;
  try {
    headers = new Headers(typeof given === 'function' ? await given() : given);
    const shown = tokenOf(typeof token === 'function' ? await token() : token);
    if (shown !== undefined) headers.set('Authorization', authorizationOf(shown));
  } catch (error) {
    const code = isFinal(error) ? error.code : 'NOT_EXECUTED';
    return { code: CLOSE_REFUSED, reason: `${code}: the headers for ${url} could not be made: ${error}` };
  }
  headers.set('Content-Type', BATCH_CONTENT_TYPE);
  // Without an abort signal: in Node, a request that can be aborted takes a sixth longer.
  const init: RequestInit = { method: 'POST', headers, body: writeBatch({ frames }) };
  // Workers refuse to make a request that has this member, whatever its value.
  if (credentials !== undefined) (init as { credentials?: string }).credentials = credentials;
  try {
    const response = await fetch(url, init);
    if (!response.ok || !readBatchType(response.headers.get('Content-Type')).shared) {
      const close = await closeOfResponse(url, response);
      const canRenew = typeof token === 'function' && !isRenewed && errorOfClose(close.reason)?.code === 'EXPIRED';
      return canRenew ? await post(url, options, frames, events, true) : close;
    }
    const answer = readBatch(new Uint8Array(await response.arrayBuffer()));
    for (const frame of answer.frames) events.received(frame);
    if (answer.close === undefined) events.answered(frames);
    return answer.close;
  } catch (error) {
    return closeOfFailure(url, error);
  }
}

/**
 * Statuses with which a server, or a proxy in front of it, says that it did not take the request at all. After other
 * statuses, such as 500 and 504, the request may have run.
 */
const NOT_TAKEN: readonly number[] = [400, 405, 411, 415, 421, 426, 429, 431];
/** Statuses that lead to a more precise error code. */
const REFUSALS: Record<number, RpcErrorCode> = { 401: 'DENIED', 403: 'DENIED', 404: 'NOT_FOUND', 413: 'TOO_LARGE' };

/** Codes that Node's `fetch` gives as the cause if it could not connect, so that nothing was sent. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

/** Most characters of a foreign page that are quoted in a message. */
const MAX_QUOTE = 200;

/** Returns the close for a response that holds no frames. */
export async function closeOfResponse(url: string, response: Response): Promise<Close> {
  // If the rest is lost, the status has still arrived.
  const text = await response.text().catch(String);
  const type = response.headers.get('Content-Type');
  // Refusals of this library's server have their own content type, and name the error that the calls reject with.
  if (type === REFUSAL_TYPE && errorOfClose(text) !== undefined) return { code: CLOSE_REFUSED, reason: text };
  const code = NOT_TAKEN.includes(response.status) ? 'NOT_EXECUTED' : REFUSALS[response.status];
  const quote = text.trim().replace(/\s+/g, ' ').slice(0, MAX_QUOTE);
  if (code !== undefined) {
    return { code: CLOSE_REFUSED, reason: `${code}: ${url} answered ${response.status}: ${quote}` };
  }
  const what = response.ok ? `${type ?? 'an untyped body'}, which is no answer to a call` : quote;
  return { code: CLOSE_ABNORMAL, reason: `NOT_EXECUTED: ${url} answered ${response.status}: ${what}` };
}

/** Returns the close for a request that failed, or whose answer could not be read. */
function closeOfFailure(url: string, error: unknown): Close {
  // A function `fetch` of an application's own may reject with anything.
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause;
  if (NOT_CONNECTED.test(String(cause?.code))) {
    const reason = `NOT_EXECUTED: ${url} cannot be reached (${cause?.code}): is the Worker running?`;
    return { code: CLOSE_REFUSED, reason };
  }
  // Node's own message is always "fetch failed". The cause says what failed.
  const why = cause === undefined ? '' : ` (${cause})`;
  return { code: CLOSE_ABNORMAL, reason: `NOT_EXECUTED: the request to ${url} failed: ${error}${why}` };
}
