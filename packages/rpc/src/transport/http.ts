import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { answerUnsent } from '../protocol/answer-unsent.ts';
import {
  BATCH_CONTENT_TYPE,
  BATCH_PREFIX_BYTES,
  type Close,
  REFUSAL_TYPE,
  readBatch,
  readBatchType,
  writeBatch,
} from '../protocol/batch.ts';
import { CLOSE_NORMAL, CLOSE_REFUSED } from '../protocol/close-codes.ts';
import { errorOfClose } from '../protocol/loss.ts';
import { countedBytes, type Message } from '../protocol/message.ts';
import type { OpenTransport, Transport, TransportEvents } from './transport.ts';

/** How requests are made. */
export interface HttpOptions {
  /** Token of the caller, sent as `Authorization: Bearer`. A function is called anew for each request. */
  token?: string | (() => string | Promise<string>);
  /** Makes the requests, such as the `fetch` of a service binding. @default the platform's `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Headers of every request; a function is asked anew for each, such as for a token that expires. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Sends cookies or not: `'include'` sends them to other origins too. @default 'same-origin', the platform's own */
  credentials?: 'omit' | 'same-origin' | 'include';
}

/**
 * Carries frames by POST. There is one request at a time, so that calls begin in the order they were made; what is sent
 * meanwhile waits, and goes together in the next one, as far as its body stays below `maxBodyBytes`.
 */
export function httpTransport(url: string, options: HttpOptions, maxBodyBytes: number): OpenTransport {
  const open = (events: TransportEvents) => {
    queueMicrotask(events.opened);
    return new HttpTransport(url, options, maxBodyBytes, events);
  };
  return Object.assign(open, { stateless: true });
}

class HttpTransport implements Transport {
  readonly #url: string;
  readonly #options: HttpOptions;
  readonly #maxBodyBytes: number;
  readonly #events: TransportEvents;
  #waiting: Message[] = [];
  #posting = false;
  #ended = false;

  constructor(url: string, options: HttpOptions, maxBodyBytes: number, events: TransportEvents) {
    this.#url = url;
    this.#options = options;
    this.#maxBodyBytes = maxBodyBytes;
    this.#events = events;
  }

  send(frame: Message): void {
    if (this.#ended) return;
    this.#waiting.push(frame);
    if (this.#posting) return;
    this.#posting = true;
    // A job later, so that frames which are sent together are posted together.
    queueMicrotask(() => this.#postAll());
  }

  close(code: number, reason: string): void {
    queueMicrotask(() => this.#lost({ code, reason }));
  }

  async #postAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#ended) {
      const close = await this.#post(this.#take());
      if (close !== undefined) return this.#lost(close);
    }
    this.#posting = false;
  }

  /** Takes frames for one request. */
  #take(): Message[] {
    let size = 0;
    const tooMany = this.#waiting.findIndex((frame, index) => {
      size += BATCH_PREFIX_BYTES + countedBytes(frame, this.#maxBodyBytes, size);
      return index > 0 && size > this.#maxBodyBytes;
    });
    return this.#waiting.splice(0, tooMany < 0 ? this.#waiting.length : tooMany);
  }

  /** Makes one request; returns why it is the last one, if it is. */
  async #post(frames: Message[]): Promise<Close | undefined> {
    const { fetch = globalThis.fetch, headers: given, token, credentials } = this.#options;
    let headers: Headers;
    try {
      headers = new Headers(typeof given === 'function' ? await given() : given);
      const shown = typeof token === 'function' ? await token() : token;
      if (shown !== undefined) headers.set('Authorization', `Bearer ${shown}`);
    } catch (error) {
      return { code: CLOSE_REFUSED, reason: `NOT_EXECUTED: the headers for ${this.#url} could not be made: ${error}` };
    }
    headers.set('Content-Type', BATCH_CONTENT_TYPE);
    // Without a signal: Node takes a sixth longer for a request that could be aborted.
    const init: RequestInit = { method: 'POST', headers, body: writeBatch({ frames }) };
    // Workers refuse to make a request with this member, whatever is in it.
    if (credentials !== undefined) (init as { credentials?: string }).credentials = credentials;
    try {
      const response = await fetch(this.#url, init);
      if (!response.ok || !readBatchType(response.headers.get('Content-Type')).shared) {
        return await closeOfResponse(this.#url, response);
      }
      const answer = readBatch(new Uint8Array(await response.arrayBuffer()));
      for (const frame of answer.frames) this.#events.received(frame);
      if (answer.close === undefined) this.#events.answered(frames);
      return answer.close;
    } catch (error) {
      return closeOfFailure(this.#url, error);
    }
  }

  #lost({ code, reason }: Close): void {
    if (this.#ended) return;
    this.#ended = true;
    // A refusal says of all calls that they did not run; after anything else only these are known not to have.
    if (code !== CLOSE_NORMAL && code < CLOSE_REFUSED) {
      const error = new RpcError('NOT_EXECUTED', 'not sent, because the request before it failed: call again');
      for (const frame of this.#waiting) {
        const answer = answerUnsent(frame, 0, error);
        if (answer !== undefined) this.#events.received(answer);
      }
    }
    this.#waiting = [];
    this.#events.lost(code, reason);
  }
}

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

/** Makes the error for a response that holds no frames. */
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

/** Makes the error for a request that failed, or whose answer could not be read. */
function closeOfFailure(url: string, error: unknown): Close {
  const { cause } = error as { cause?: { code?: unknown } };
  if (NOT_CONNECTED.has(String(cause?.code))) {
    const reason = `NOT_EXECUTED: ${url} cannot be reached (${cause?.code}): is the Worker running?`;
    return { code: CLOSE_REFUSED, reason };
  }
  // Node's own message is always "fetch failed": what has failed is behind it.
  const why = cause === undefined ? '' : ` (${cause})`;
  return { code: CLOSE_ABNORMAL, reason: `NOT_EXECUTED: the request to ${url} failed: ${error}${why}` };
}
