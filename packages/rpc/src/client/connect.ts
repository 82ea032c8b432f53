import { ALL } from '../extensions/all.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { connect as connectCore, connectOver as connectCoreOver } from './core.ts';
import type { ConnectOptions } from './options.ts';
import type { Stub } from './types.ts';

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`, at once: calls wait until
 * the connection is open. In a page the URL may be relative to it.
 * @throws {TypeError} where the URL is none, or a limit no number of 0 or more
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as untyped code expects
export function connect(url: string | URL, options?: ConnectOptions): any;
export function connect<Api extends object>(url: string | URL, options?: ConnectOptions): Stub<Api>;
export function connect(url: string | URL, options?: ConnectOptions): unknown {
  return connectCore(url, withAll(options));
}

/** Returns a stub for the target behind a transport of one's own; `description` says where it leads, for messages. */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  options?: ConnectOptions,
): Stub<Api> {
  return connectCoreOver(open, description, withAll(options));
}

/** Adds all extensions of the library to those of options. */
function withAll(options?: ConnectOptions): ConnectOptions {
  return { ...options, use: [...ALL, ...(options?.use ?? [])] };
}
