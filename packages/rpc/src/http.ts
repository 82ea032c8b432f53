import { connectOver } from './client/connect.ts';
import { absoluteUrl, type ConnectOptions } from './client/options.ts';
import type { Stub } from './client/types.ts';
import type { URL } from './protocol/platform-types.ts';
import { tokenOf } from './protocol/token.ts';
import { CORE_LIMITS, withDefaults } from './session/limits.ts';
import { type HttpOptions, httpTransport } from './transport/http.ts';

export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './client/types.ts';
export type { Recorded, Remote } from './protocol/value-kinds.ts';

/** Options for connecting over HTTP. */
export interface ConnectHttpOptions extends ConnectOptions, HttpOptions {}

/**
 * Returns a stub for the target behind a URL such as `https://example.com/rpc/counter/main`, whose calls are sent as
 * POST requests. The calls of a turn share one request, and there is one request at a time. Each request has a target
 * of its own.
 * @throws {TypeError} if the URL is invalid, or the token is not text
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connectHttp<Api extends object = any>(url: string | URL, options: ConnectHttpOptions = {}): Stub<Api> {
  const resolved = absoluteUrl(url, 'http', 'connectHttp');
  const { maxFrameBytes } = withDefaults(CORE_LIMITS, options.limits);
  if (typeof options.token !== 'function') tokenOf(options.token);
  // The token goes with each request, not with the connection.
  return connectOver(httpTransport(resolved, options, maxFrameBytes), resolved, { ...options, token: undefined });
}
