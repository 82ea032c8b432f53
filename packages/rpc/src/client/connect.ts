import type { CallContext } from '../session/incoming/call-context.ts';
import { DEFAULT_RPC_LIMITS, type RpcLimits } from '../session/limits.ts';
import { rootStub } from '../session/outgoing/stub.ts';
import { sessionSettings } from '../session/settings.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import { ClientSession, type ConnectionState, EXAMPLE_URL } from './session.ts';

import type { Stub } from './types.ts';

/** How to connect. */
export interface ConnectOptions {
  /** Connect at once instead of with the first call. @default false */
  eager?: boolean;
  /** Bounds on what is sent, which are the server's own, and on what the server may ask for in return. */
  limits?: Partial<RpcLimits>;
  /** Told of every change of the connection's state. */
  onStateChange?: (state: ConnectionState) => void;
  /** Told of what functions and targets of this side threw when the server called them: with the name of the method and its call. */
  onError?: (error: unknown, method: string, call: CallContext | undefined) => void;
}

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`, at once: calls wait until
 * the connection is open. In a page the URL may be relative to it.
 * @throws {TypeError} where the URL is none
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
  const session = new ClientSession({
    open,
    description,
    settings: sessionSettings({
      side: 'client',
      limits: { ...DEFAULT_RPC_LIMITS, ...options.limits },
      refuse: undefined,
      errorStacks: false,
    }),
    onStateChange: options.onStateChange,
    onError: options.onError,
  });
  if (options.eager) session.connect();
  return rootStub(session) as Stub<Api>;
}

function webSocketUrl(url: string | URL): string {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  const resolved = URL.canParse(url, base) ? new URL(url, base).href.replace(/^http/, 'ws').replace(/#.*/, '') : '';
  if (/^wss?:/.test(resolved)) return resolved;
  throw new TypeError(`connect() needs a URL like ${EXAMPLE_URL}, not "${url}"`);
}
