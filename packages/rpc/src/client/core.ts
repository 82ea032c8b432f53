import type { URL } from '../protocol/platform-types.ts';
import { checkedOptions } from '../session/check-options.ts';
import { ownOptions } from '../session/limits.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import { openSession } from './open-session.ts';
import { absoluteUrl, type ConnectOptions } from './options.ts';
import type { Stub } from './types.ts';
import { withoutExtensions } from './without-extensions.ts';

/**
 * Returns a stub for the target behind a URL such as `wss://example.com/rpc/counter/main`. The stub can be used at
 * once: calls wait until the connection is open. In a page, the URL may be relative. The option `use` lists the
 * extensions of the connection.
 * @throws {TypeError} if the URL is invalid, or a limit is not a number of 0 or more
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connect<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): Stub<Api> {
  const resolved = absoluteUrl(url, 'ws', 'connect');
  return connectOver(webSocketTransport(resolved), resolved, options);
}

/** Returns a stub for the target behind your own transport. `description` names the destination in messages. */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  options?: ConnectOptions,
): Stub<Api> {
  const own = checkedOptions(options);
  const { use = [] } = own;
  return openSession(open, description, ownOptions(own, { use: [withoutExtensions(use), ...use] }));
}
