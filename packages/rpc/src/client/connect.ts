import type { RpcError } from '../errors/rpc-error.ts';
import { isTimeout } from '../protocol/call-terms.ts';
import type { CallContext } from '../session/incoming/call-context.ts';
import { DEFAULT_RPC_LIMITS, type RpcLimits } from '../session/limits.ts';
import type { Observer } from '../session/observe/observer.ts';
import { rootStub } from '../session/outgoing/stub.ts';
import { sessionSettings } from '../session/settings.ts';
import { withDefaults } from '../session/with-defaults.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import type { BackoffOptions } from './backoff.ts';
import type { HeartbeatOptions } from './heartbeat.ts';
import { type ConnectionState, EXAMPLE_URL } from './link-options.ts';
import { ClientSession } from './session.ts';
import type { Stub } from './types.ts';

/** How to connect. */
export interface ConnectOptions {
  /** Connect at once instead of with the first call. @default false */
  eager?: boolean;
  /** Bounds on what is sent, which are the server's own, and on what the server may ask for in return. */
  limits?: Partial<RpcLimits>;
  /**
   * How long calls wait while there is no connection, in milliseconds. Then they reject: with `NOT_EXECUTED` those that were
   * never sent, with `OUTCOME_UNKNOWN` the others. With 0 they reject when an attempt to connect fails. A call is also not sent
   * again that is lost once more so long after it was first. @default 10000
   */
  maxWaitMs?: number;
  /** How many calls may wait for a connection, beyond which they reject with `OVERLOADED`. @default 20000 */
  maxQueuedCalls?: number;
  /** How many bytes of calls may wait for a connection. @default 67108864 */
  maxQueuedBytes?: number;
  /**
   * Whether a connection that was lost is made again by itself, and how soon; else the next call connects, and calls that
   * were in flight reject. Only where the transport tells whether a connection lives, as sockets do. @default true
   */
  reconnect?: boolean | BackoffOptions;
  /** How long an attempt to connect may take, in milliseconds; then there is another one. @default 5000 */
  connectTimeoutMs?: number;
  /** How a connection is watched that says nothing. The Workers runtime answers without waking the object. @default on */
  heartbeat?: false | HeartbeatOptions;
  /**
   * What the caller shows to be let in, which `authenticate` of `routeRpc` is given. A function is asked anew for each attempt, and
   * before the token expires, where the server can `reauthenticate`.
   * It travels as a subprotocol: pages cannot send headers with an upgrade, and URLs end up in logs.
   */
  token?: string | (() => string | Promise<string>);
  /**
   * Whether the calls of the turn that connects travel with the request for the connection: a server runs them at once where all of
   * them only read, see `readOnly`, and saves a round trip. With `false` no argument is ever in a header. @default true
   */
  early?: boolean;
  /** Given what opens connections, returns what is to be used in its place, such as one that `recordFrames()` of `@lumenize/rpc/inspect` makes. */
  wrapTransport?: (open: OpenTransport) => OpenTransport;
  /** Told of every change of the connection's state, and why there is no connection. Without it, the console is warned when the first attempt fails. */
  onStateChange?: (state: ConnectionState, reason: RpcError | undefined) => void;
  /** Told of what functions and targets of this side threw when the server called them: with the name of the method and its call. */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
  /** Told of each call that this side makes, or answers: what `observeCalls` of `@lumenize/rpc/observe` makes. */
  observe?: Observer;
}

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`, at once: calls wait until
 * the connection is open. In a page the URL may be relative to it.
 * @throws {TypeError} where the URL is none, or a limit no number of 0 or more
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as untyped code expects
export function connect(url: string | URL, options?: ConnectOptions): any;
export function connect<Api extends object>(url: string | URL, options?: ConnectOptions): Stub<Api>;
export function connect(url: string | URL, options: ConnectOptions = {}): unknown {
  const resolved = webSocketUrl(url);
  return connectOver(webSocketTransport(resolved), resolved, options);
}

/** Returns a stub for the target behind a transport of one's own; `description` says where it leads, for messages. */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  options: ConnectOptions = {},
): Stub<Api> {
  requireLimits(options);
  const session = new ClientSession({
    ...withDefaults(DEFAULTS, options),
    open: options.wrapTransport?.(open) ?? open,
    description,
    settings: sessionSettings({
      side: 'client',
      limits: withDefaults(DEFAULT_RPC_LIMITS, options.limits),
      refuse: undefined,
      errorStacks: false,
    }),
  });
  if (options.onStateChange) session.onStateChange(options.onStateChange);
  if (options.eager) session.link.connect();
  return rootStub(session) as Stub<Api>;
}

/** @throws {TypeError} where a limit is none: a timer takes what is no number for 0 */
function requireLimits({ reconnect, heartbeat, ...options }: ConnectOptions): void {
  for (const [name, value] of Object.entries({ ...options, ...(reconnect as object), ...(heartbeat as object) })) {
    if (/^max|Ms$/.test(name) && !isTimeout(value)) throw new TypeError(`${name} needs a number, 0 or more`);
  }
}

const DEFAULTS = {
  maxWaitMs: 10_000,
  maxQueuedCalls: 20_000,
  maxQueuedBytes: 67_108_864,
  reconnect: true,
  heartbeat: {},
  connectTimeoutMs: 5000,
  early: true,
};

/**
 * Returns the absolute URL that is connected to.
 * @throws {TypeError} where it is none
 */
export function webSocketUrl(url: string | URL): string {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  const resolved = URL.canParse(url, base) ? new URL(url, base).href.replace(/^http/, 'ws').replace(/#.*/, '') : '';
  if (/^wss?:/.test(resolved)) return resolved;
  throw new TypeError(`connect() needs a URL like ${EXAMPLE_URL}, not "${url}"`);
}
