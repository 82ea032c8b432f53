import { CORE_LIMITS, type RpcLimits, withDefaults } from '../session/limits.ts';
import { rootStub } from '../session/outgoing/stub.ts';
import { sessionSettings } from '../session/settings.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { webSocketTransport } from '../transport/websocket.ts';
import { absoluteUrl, type ConnectOptions, withConnectDefaults } from './options.ts';
import { ClientSession } from './session.ts';
import type { Stub } from './types.ts';

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
  options: ConnectOptions = {},
): Stub<Api> {
  // Limits of extensions that are not used have no defaults here: nothing reads them.
  const defaults: RpcLimits = Object.assign({}, CORE_LIMITS, ...(options.use ?? []).map(({ limits }) => limits));
  const session = new ClientSession({
    ...withConnectDefaults(options),
    open: options.wrapTransport?.(open) ?? open,
    description,
    settings: sessionSettings({
      side: 'client',
      limits: withDefaults(defaults, options.limits),
      refuse: undefined,
      errorStacks: false,
      extensions: options.use,
    }),
  });
  if (options.onStateChange) session.link.onStateChange(options.onStateChange);
  if (options.eager) session.link.connect();
  return rootStub(session) as Stub<Api>;
}
