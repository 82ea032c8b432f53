import type { RpcError } from '../errors/rpc-error.ts';
import type { URL as PlatformUrl } from '../protocol/platform-types.ts';
import { type TokenOption, tokenOf } from '../protocol/token.ts';
import type { Extension, HeartbeatOptions } from '../session/extension.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import { type RpcLimits, withDefaults } from '../session/limits.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { SessionSettings } from '../session/settings.ts';
import type { OpenTransport } from '../transport/transport.ts';
import type { BackoffOptions } from './backoff.ts';

/**
 * The state of a connection. `idle`: no call was made yet, or the connection was lost and is not made again
 * automatically. `connecting`: the first attempt is under way. `open`: there is a connection. `reconnecting`: the
 * connection is made again after a loss or a failed attempt. `closed`: `close()` was called, or the server has refused
 * the client for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed';

/**
 * Receives each state of a connection, and the reason if there is no connection. An error that it throws is logged.
 */
export type StateListener = (state: ConnectionState, reason: RpcError | undefined) => void;

/** Options for connecting. */
export interface ConnectOptions {
  /** Connects at once instead of with the first call. @default false */
  eager?: boolean;
  /**
   * Limits on the frames that this side sends, which should equal the server's, and on what the server may ask of this
   * side.
   */
  limits?: Partial<RpcLimits>;
  /**
   * Longest time that calls wait without a connection, in milliseconds. After that, calls that were never sent reject
   * with `NOT_EXECUTED`, the others with `OUTCOME_UNKNOWN`. With 0, calls reject when an attempt to connect fails. A
   * call that is lost again this long after its first loss is not sent again.
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
   * Identifies the caller: `authenticate` of `routeRpc` receives it. Text of at most 8,192 characters; null and undefined
   * are no token. A function is called for each attempt to connect, and before the token expires if the server can
   * `reauthenticate`. If it throws an `RpcError` that is not `retryable`, the client closes with that error; after any
   * other error it tries again. The token travels as a subprotocol: pages cannot send headers with an upgrade, and URLs
   * end up in logs.
   */
  token?: TokenOption;
  /**
   * Sends the first calls along with the request to connect. The server may run them at once if all of them only read
   * (see `readOnly`), which saves a round trip. With `false`, no argument is ever in a header.
   * @default true
   */
  early?: boolean;
  /**
   * Extensions of the connection besides those of `connect`. Values and frames that need a missing extension are
   * refused.
   * @default none
   */
  use?: readonly Extension[];
  /** Wraps the function that opens connections, for example with `recordFrames()` of `@lumenize/rpc/inspect`. */
  wrapTransport?: (open: OpenTransport) => OpenTransport;
  /**
   * Called with each state of the connection, and the reason if there is no connection. Without it, a first attempt
   * that fails is logged to the console.
   */
  onStateChange?: StateListener;
  /**
   * Called when a function or target of this side throws while it answers the server. Receives the error, the method's
   * name, and the call. Also called, with the name `token`, if the token cannot be renewed ahead of its expiry.
   */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /** Observes the calls that this side makes and answers: see `observeCalls` of `@lumenize/rpc/observe`. */
  observe?: Observer;
}

/** Defaults of the options that every connection has. */
export const DEFAULTS = {
  maxWaitMs: 10_000,
  maxQueuedCalls: 20_000,
  maxQueuedBytes: 67_108_864,
  reconnect: true,
  heartbeat: {},
  connectTimeoutMs: 5000,
  early: true,
} satisfies ConnectOptions;

/** The options of a client, with their defaults filled in. */
export type ClientOptions = ConnectOptions &
  Required<Pick<ConnectOptions, keyof typeof DEFAULTS>> & {
    open: OpenTransport;
    /** The destination of connections, for messages. */
    description: string;
    settings: SessionSettings;
  };

/**
 * Returns the options with their defaults filled in.
 * @throws {TypeError} if the token is not text
 */
export function withConnectDefaults(given: ConnectOptions) {
  if (typeof given.token !== 'function') tokenOf(given.token);
  return withDefaults(DEFAULTS, given);
}

/** The part of an example URL after its scheme, for messages. */
export const EXAMPLE_PATH = '://localhost:8787/rpc/<binding>/<instance>';

/**
 * Returns the absolute URL to connect to, with the given scheme. In a page, the URL may be relative. `by` is the name
 * of the function that received the URL, for messages.
 * @throws {TypeError} if the URL is invalid
 */
export function absoluteUrl(url: string | PlatformUrl, scheme: 'ws' | 'http', by: string): string {
  const { document, location } = globalThis as { document?: { baseURI?: string }; location?: { href: string } };
  // As the platform resolves URLs: by `<base>`, and in a frame with `srcdoc` by the page around it.
  const base = document?.baseURI ?? location?.href;
  const { href, protocol } = URL.canParse(url, base) ? new URL(url, base) : { href: '', protocol: '' };
  if (/^(ws|http)s?:$/.test(protocol)) return href.replace(/^(ws|http)/, scheme).replace(/#.*/, '');
  throw new TypeError(`${by}() needs a URL like ${scheme}${EXAMPLE_PATH}, not "${url}"`);
}
