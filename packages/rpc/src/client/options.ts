import type { RpcError } from '../errors/rpc-error.ts';
import { isTimeout } from '../protocol/operation.ts';
import type { Extension } from '../session/extension.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import type { RpcLimits } from '../session/limits.ts';
import type { Observer } from '../session/observe/observer.ts';
import type { SessionSettings } from '../session/settings.ts';
import { withDefaults } from '../session/with-defaults.ts';
import type { OpenTransport } from '../transport/transport.ts';

/**
 * The state of a connection: `idle` before the first call, and after a loss where it is not made again by itself;
 * `connecting` for the first time; `reconnecting` after a loss, or after an attempt that failed; `closed` by `close()`, or because
 * it was refused for good.
 */
export type ConnectionState = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'closed';

/** Receives each state of a connection, and why there is no connection where there is none. */
export type StateListener = (state: ConnectionState, reason: RpcError | undefined) => void;

/** Waits between attempts to connect. */
export interface BackoffOptions {
  /** Longest wait before the first attempt after a loss, in milliseconds; it doubles with each further one. @default 250 */
  minDelayMs?: number;
  /** Longest wait at all, in milliseconds. @default 30000 */
  maxDelayMs?: number;
  /** Time that a connection must have lasted for the waits to begin anew, in milliseconds. @default 5000 */
  stableMs?: number;
}

/** Times after which a silent connection is checked. */
export interface HeartbeatOptions {
  /** Time that a connection may be silent before it is asked for a sign of life, in milliseconds. @default 30000 */
  intervalMs?: number;
  /** Time that the answer may take, and that a call may be in flight on a silent connection before that is asked, in milliseconds. @default 10000 */
  timeoutMs?: number;
}

/** Options for connecting. */
export interface ConnectOptions {
  /** Connect at once instead of with the first call. @default false */
  eager?: boolean;
  /** Bounds on what is sent, which are the server's own, and on what the server may ask for in return. */
  limits?: Partial<RpcLimits>;
  /**
   * Longest wait of calls while there is no connection, in milliseconds. Then they reject: with `NOT_EXECUTED` those that were
   * never sent, with `OUTCOME_UNKNOWN` the others. With 0 they reject when an attempt to connect fails. A call is also not sent
   * again that is lost once more so long after it was first. @default 10000
   */
  maxWaitMs?: number;
  /** Most calls that may wait for a connection, beyond which they reject with `OVERLOADED`. @default 20000 */
  maxQueuedCalls?: number;
  /** Most bytes of calls that may wait for a connection. @default 67108864 */
  maxQueuedBytes?: number;
  /**
   * Connects again after a loss, after waits as given; with `false` the next call connects, and calls that were in flight
   * reject. Only where the transport tells whether a connection lives, as sockets do. @default true
   */
  reconnect?: boolean | BackoffOptions;
  /** Longest time that an attempt to connect may take, in milliseconds; then there is another one. @default 5000 */
  connectTimeoutMs?: number;
  /** Checks whether a silent connection still lives. The Workers runtime answers without waking the object. @default on */
  heartbeat?: false | HeartbeatOptions;
  /**
   * Shown by the caller to be let in; `authenticate` of `routeRpc` is given it. A function is asked anew for each attempt, and
   * before the token expires, where the server can `reauthenticate`.
   * It travels as a subprotocol: pages cannot send headers with an upgrade, and URLs end up in logs.
   */
  token?: string | (() => string | Promise<string>);
  /**
   * Sends the calls of the turn that connects along with the request for the connection: a server runs them at once where all of
   * them only read, see `readOnly`, and saves a round trip. With `false` no argument is ever in a header. @default true
   */
  early?: boolean;
  /** Extensions of the connection, beside those that the entry brings: one without them refuses what they are for. @default none */
  use?: readonly Extension[];
  /** Given what opens connections, returns what is to be used in its place, such as one that `recordFrames()` of `@lumenize/rpc/inspect` makes. */
  wrapTransport?: (open: OpenTransport) => OpenTransport;
  /** Called with each state of the connection, and why there is no connection. Without it, the console is warned when the first attempt fails. */
  onStateChange?: StateListener;
  /** Called with what functions and targets of this side threw when the server called them, the name of the method, and its call. */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /** Observes each call that this side makes, or answers: made by `observeCalls` of `@lumenize/rpc/observe`. */
  observe?: Observer;
}

const DEFAULTS = {
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
 * Fills in the defaults.
 * @throws {TypeError} where a limit is no number of 0 or more: a timer would take it for 0
 */
export function withConnectDefaults(given: ConnectOptions) {
  const { reconnect, heartbeat, ...options } = given;
  for (const [name, value] of Object.entries({ ...options, ...(reconnect as object), ...(heartbeat as object) })) {
    if (/^max|Ms$/.test(name) && !isTimeout(value)) throw new TypeError(`${name} needs a number, 0 or more`);
  }
  return withDefaults(DEFAULTS, given);
}

/** The path of a URL, for messages. */
export const EXAMPLE_PATH = '://localhost:8787/rpc/<binding>/<instance>';

/**
 * Returns the absolute URL to connect to, with the scheme that is needed; in a page it may be relative. `by` is the function
 * that was given it.
 * @throws {TypeError} where it is none
 */
export function absoluteUrl(url: string | URL, scheme: 'ws' | 'http', by: string): string {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  const { href, protocol } = URL.canParse(url, base) ? new URL(url, base) : { href: '', protocol: '' };
  if (/^(ws|http)s?:$/.test(protocol)) return href.replace(/^(ws|http)/, scheme).replace(/#.*/, '');
  throw new TypeError(`${by}() needs a URL like ${scheme}${EXAMPLE_PATH}, not "${url}"`);
}
