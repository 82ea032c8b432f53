import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import { ClientSession, type ConnectionState, EXAMPLE_URL } from './session.ts';
import { rootStub } from './stub.ts';
import type { Stub } from './types.ts';

/** How to connect. */
export interface ConnectOptions {
  /** Connect at once instead of with the first call. @default false */
  eager?: boolean;
  /** Largest frame to send, in bytes; not more than the server takes. @default 8388608 */
  maxFrameBytes?: number;
  /** Told of every change of the connection's state. */
  onStateChange?: (state: ConnectionState) => void;
}

const DEFAULT_MAX_FRAME_BYTES = 8_388_608;

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
    maxFrameBytes: options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES,
    onStateChange: options.onStateChange,
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
