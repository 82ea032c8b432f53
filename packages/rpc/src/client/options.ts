import type { RpcError } from '../errors.ts';
import { checkOptions } from '../peer/check-options.ts';
import type { Peer } from '../peer/peer.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { CallContext } from '../types/call-context.ts';
import type { PeerLimits } from '../types/limits.ts';
import type { URL as PlatformUrl } from '../types/platform.ts';
import type { BackoffOptions } from './backoff.ts';
import type { HeartbeatOptions } from './heartbeat.ts';

/**
 * The state of a connection. `idle`: no call was made yet, or the connection was lost and is not made again
 * automatically. `connecting`: the first attempt is under way. `open`: there is a connection. `reconnecting`: the
 * connection is made again after a loss or a failed attempt. `closed`: `close()` was called, or the server has refused
 * the client for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed';

/** Receives each state of a connection, and the reason if there is no connection. */
export type StateListener = (state: ConnectionState, reason: RpcError | undefined) => void;

/** Options for connecting. */
export interface ConnectOptions {
  /** Connects at once instead of with the first call. @default false */
  eager?: boolean;
  /**
   * Limits on the frames that this side sends, which should equal the server's, and on what the server may ask of this
   * side.
   */
  limits?: Partial<PeerLimits>;
  /**
   * Longest time that calls wait without a connection, in milliseconds. After that, calls that were never sent reject
   * with `NOT_EXECUTED`, the others with `OUTCOME_UNKNOWN`. With 0, calls reject when an attempt to connect fails.
   * @default 10000
   */
  maxWaitMs?: number;
  /** Most calls that may wait for a connection. Further calls reject with `OVERLOADED`. @default 20000 */
  maxQueuedCalls?: number;
  /** Most bytes of calls that may wait for a connection. Further calls reject with `OVERLOADED`. @default 67108864 */
  maxQueuedBytes?: number;
  /**
   * Connects again after a loss, with these delays. With `false`, calls in flight reject, and the next call connects.
   * Needs a transport that can be probed, as sockets can.
   * @default true
   */
  reconnect?: boolean | BackoffOptions;
  /** Longest time that an attempt to connect may take before the next one, in milliseconds. @default 5000 */
  connectTimeoutMs?: number;
  /** Checks that a silent connection is alive. The Workers runtime answers without waking the object. @default on */
  heartbeat?: false | HeartbeatOptions;
  /**
   * Identifies the caller: `authenticate` of `routeRpc` receives it. A function is called for each attempt to connect;
   * undefined and null are no token. An `RpcError` that it throws ends the connection for good, unless it is retryable.
   * The token travels as a subprotocol: pages cannot send headers with an upgrade, and URLs end up in logs.
   */
  token?: string | (() => Token | Promise<Token>);
  /** Wraps the function that opens connections, for example with `recordFrames()` of `@lumenize/inspect`. */
  wrapTransport?: (open: OpenTransport) => OpenTransport;
  /**
   * Called with each state of the connection, and the reason if there is no connection. Without it, a first attempt
   * that fails is logged to the console.
   */
  onStateChange?: StateListener;
  /**
   * Called when a function or target of this side throws while it answers the server. Receives the error, and the name
   * of the method.
   */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /** Observes the calls that this side makes and answers: see `observeCalls` of `@lumenize/rpc/observe`. */
  observe?: (peer: Peer, address: string | undefined) => void;
}

export type Token = string | null | undefined;

const DEFAULTS = {
  maxWaitMs: 10_000,
  maxQueuedCalls: 20_000,
  maxQueuedBytes: 67_108_864,
  connectTimeoutMs: 5000,
};

/** The options of a client, with their defaults filled in. */
export type ClientOptions = ConnectOptions & typeof DEFAULTS;

/**
 * Fills in the defaults of options.
 * @throws {TypeError} as `checkOptions` does
 */
export function withDefaults(given: ConnectOptions): ClientOptions {
  const options: ClientOptions = Object.assign(Object.create(null), DEFAULTS);
  for (const [name, value] of Object.entries(checkOptions(given)))
    if (value !== undefined) Object.assign(options, { [name]: value });
  return options;
}

/** The part of an example URL after its scheme, for messages. */
export const EXAMPLE_PATH = '://localhost:8787/rpc/<binding>/<instance>';

/**
 * Returns the absolute URL to connect to, with the given scheme. In a page, the URL may be relative. `by` is the name
 * of the function that received the URL, for messages.
 * @throws {TypeError} if the URL is invalid
 */
export function absoluteUrl(url: string | PlatformUrl, scheme: 'ws' | 'http', by: string): string {
  const { document, location } = globalThis as { document?: { baseURI?: string }; location?: { href?: string } };
  const base = document?.baseURI ?? location?.href;
  const { href, protocol } = URL.canParse(url, base) ? new URL(url, base) : { href: '', protocol: '' };
  if (/^(ws|http)s?:$/.test(protocol)) return href.replace(/^(ws|http)/, scheme).replace(/#.*/, '');
  throw new TypeError(`${by}() needs a URL like ${scheme}${EXAMPLE_PATH}, not "${url}"`);
}
