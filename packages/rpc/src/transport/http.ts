import { CLOSE_ABNORMAL, errorOfClose } from '../closes.ts';
import { RpcError, type RpcErrorCode } from '../errors.ts';
import { MAX_TOKEN_LENGTH, tokenProtocol } from '../protocol.ts';
import type { PeerLimits } from '../types/limits.ts';
import type { Message } from '../types/message.ts';
import type { HeadersInit, RequestInit, Response } from '../types/platform.ts';
import { BATCH_TYPE, firstIdOf, REFUSAL_TYPE, readBatch, writeBatch } from './batch.ts';
import type { OpenTransport } from './transport.ts';

/** Options for making requests. */
export interface HttpOptions {
  /**
   * Token of the caller, sent as `Authorization: Bearer`. A function is called for each request, and once more if the
   * token has expired. Undefined and null are no token.
   */
  token?: string | (() => Token | Promise<Token>);
  /** The function that makes the requests, such as the `fetch` of a service binding. @default the platform's `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Headers of every request. A function is called for each request, for example for a token that expires. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Controls cookies: `'include'` sends them to other origins too. @default 'same-origin', the platform's own */
  credentials?: 'omit' | 'same-origin' | 'include';
  /** Limits on what is sent, which should equal the server's. */
  limits?: Partial<PeerLimits>;
}

type Token = string | null | undefined;

/** Rejects calls that were handed to the transport, by their ids: see `rejectSent`. */
type Reject = (from: number, to: number, code: RpcErrorCode, message: string) => void;

/**
 * Carries messages by POST. There is one request at a time, so that calls begin in the order they were made. What is
 * sent meanwhile waits, and shares the next request if there is room in it.
 */
export function httpTransport(url: string, options: HttpOptions, reject: Reject): OpenTransport {
  return (events) => {
    const waiting: Message[] = [];
    let isPosting = false;
    let isOver = false;
    /** The tag of the caller in the last answer. Calls that waited for it run for no other caller. */
    let caller: Message[] = [];
    /** The id of the first call that waits. */
    const next = () => waiting.map(firstIdOf).find((id) => id > 0) ?? Infinity;
    /** Answers the calls that wait with an error that says that they have not run. */
    const giveUp = (code: number, reason: string): [code: number, reason: string] => {
      reject(next(), Infinity, 'NOT_EXECUTED', 'not sent: the request before it failed');
      return [code, reason];
    };
    /** Makes the next request. Returns how the connection has ended, if it has. */
    const postNext = async (): Promise<[code: number, reason: string] | undefined> => {
      const batch = waiting.splice(0, countThatFit(waiting, options));
      const answer = await post(url, options, [...caller, ...batch]).catch((error: RpcError) => error);
      if (isOver) return undefined;
      if (answer instanceof RpcError) {
        const { code, message } = answer;
        if (code === 'OUTCOME_UNKNOWN') return giveUp(CLOSE_ABNORMAL, `NOT_EXECUTED: ${message}`);
        reject(0, Infinity, code, message);
        return [CLOSE_ABNORMAL, `${code}: ${message}`];
      }
      caller = [];
      for (const message of answer) {
        if (message[0] !== '{') events.received(message);
        else {
          const { close } = JSON.parse(message as string);
          if (close) return giveUp(Number(close[0]), String(close[1]));
          caller = [message];
        }
      }
      reject(0, next(), 'OUTCOME_UNKNOWN', 'it may have run: the answer leaves it out');
      return undefined;
    };
    const postAll = async () => {
      while (waiting.length > 0) {
        const closed = await postNext().catch((error) => giveUp(CLOSE_ABNORMAL, `MALFORMED_FRAME: ${error}`));
        if (isOver) return;
        if (closed !== undefined) {
          isOver = true;
          return events.closed(closed[0], closed[1]);
        }
      }
      isPosting = false;
      caller = [];
    };
    queueMicrotask(events.opened);
    return {
      send(message) {
        // A signal goes with the calls that wait. Of a request that is under way there is nothing to signal.
        if (isOver || (waiting.length === 0 && message[0] === '{')) return;
        waiting.push(message);
        // Posted one microtask later, so that messages that are sent together share a request.
        if (!isPosting) queueMicrotask(postAll);
        isPosting = true;
      },
      close(code, reason) {
        if (!isOver) queueMicrotask(() => events.closed(code, reason));
        isOver = true;
      },
    };
  };
}

/** Returns how many messages go into one request: as many as fit into its body, and at least one. */
function countThatFit(messages: readonly Message[], { limits }: HttpOptions): number {
  const { maxMessageBytes = 33_554_432 } = limits ?? {};
  let size = 0;
  const tooMany = messages.findIndex((message, at) => {
    // A character of a text takes up to three bytes.
    size += (typeof message === 'string' ? 3 : 1) * message.length;
    return at > 0 && size > maxMessageBytes;
  });
  return tooMany < 0 ? messages.length : tooMany;
}

/**
 * Makes one request, and another one with a new token if the token has expired.
 * @throws {RpcError} `OUTCOME_UNKNOWN` if the calls may have run, and another one if they have not
 */
async function post(url: string, options: HttpOptions, messages: Message[], isRenewed = false): Promise<Message[]> {
  const { fetch = globalThis.fetch, headers: given, token, credentials } = options;
  let headers: Headers;
  try {
    headers = new Headers(typeof given === 'function' ? await given() : given);
    const shown = typeof token === 'function' ? await token() : token;
    if (shown) headers.set('Authorization', `Bearer ${inHeader(shown)}`);
  } catch (error) {
    throw error instanceof RpcError
      ? error
      : new RpcError('NOT_EXECUTED', `the headers for ${url} could not be made: ${error}`, { cause: error });
  }
  headers.set('Content-Type', BATCH_TYPE);
  // Without an abort signal: in Node, a request that can be aborted takes a sixth longer.
  const init: RequestInit = { method: 'POST', headers, body: writeBatch(messages) };
  // Workers refuse to make a request that has this member, whatever its value.
  if (credentials !== undefined) (init as { credentials?: string }).credentials = credentials;
  let refused: RpcError;
  try {
    const response = await fetch(url, init);
    if (response.ok && response.headers.get('Content-Type') === BATCH_TYPE) {
      return [...readBatch(new Uint8Array(await response.arrayBuffer()))];
    }
    refused = await errorOfResponse(url, response);
  } catch (error) {
    throw errorOfFailure(url, error);
  }
  if (refused.code === 'EXPIRED' && typeof token === 'function' && !isRenewed) {
    return post(url, options, messages, true);
  }
  throw refused;
}

/**
 * Returns a token as it is, or in the form of a subprotocol if a header would change it.
 * @throws {TypeError} if it cannot be sent
 */
function inHeader(token: string): string {
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH) {
    throw new TypeError(`token needs text of at most ${MAX_TOKEN_LENGTH} characters`);
  }
  if (/^(?!lumenize\.token\.)[!-~]([ -~]*[!-~])?$/.test(token)) return token;
  return tokenProtocol(token);
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

/** Returns the error for a response that holds no answers. */
export async function errorOfResponse(url: string, response: Response): Promise<RpcError> {
  const { headers, ok, status } = response;
  // If the rest is lost, the status has still arrived.
  const text = await response.text().catch(String);
  const type = headers.get('Content-Type');
  // Refusals of this library's server have their own content type, and name the error that the calls reject with.
  const told = type === REFUSAL_TYPE ? errorOfClose(text) : undefined;
  if (told !== undefined) return told;
  const code = NOT_TAKEN.includes(status) ? 'NOT_EXECUTED' : (REFUSALS[status] ?? 'OUTCOME_UNKNOWN');
  const quote = text.trim().replace(/\s+/g, ' ').slice(0, MAX_QUOTE);
  const what = ok ? `${type ?? 'an untyped body'}, which is no answer to a call` : quote;
  return new RpcError(code, `${url} answered ${status}: ${what}`);
}

/** Returns the error for a request that failed, or whose answer could not be read. */
function errorOfFailure(url: string, error: unknown): RpcError {
  // A function `fetch` of an application's own may reject with anything.
  const cause = (error as { cause?: { code?: unknown } } | undefined)?.cause;
  if (NOT_CONNECTED.test(String(cause?.code))) {
    return new RpcError('NOT_EXECUTED', `${url} cannot be reached (${cause?.code}): is the Worker running?`);
  }
  // Node's own message is always "fetch failed". The cause says what failed.
  const why = cause === undefined ? '' : ` (${cause})`;
  return new RpcError('OUTCOME_UNKNOWN', `the request to ${url} failed: ${error}${why}`);
}
