import { CORE_LIMITS, ownOptions, type RpcLimits, withDefaults } from '../session/limits.ts';
import { rootStub } from '../session/outgoing/stub.ts';
import { sessionSettings } from '../session/settings.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { type ClientOptions, type ConnectOptions, withConnectDefaults } from './options.ts';
import { ClientSession } from './session.ts';
import type { Stub } from './types.ts';

/**
 * Returns a stub for the target behind a transport, with the extensions in `options` and no others. `description` names
 * the destination in messages.
 */
export function openSession<Api extends object>(
  open: OpenTransport,
  description: string,
  options: ConnectOptions,
): Stub<Api> {
  const { use = [] } = options;
  // Limits of extensions that are not used have no defaults here: nothing reads them.
  const defaults: RpcLimits = Object.assign({}, CORE_LIMITS, ...use.map(({ limits }) => limits));
  const settings = sessionSettings({
    side: 'client',
    limits: withDefaults(defaults, options.limits),
    errorStacks: false,
    extensions: use,
  });
  const session = new ClientSession(
    ownOptions(withConnectDefaults(options) as ClientOptions, {
      open: options.wrapTransport?.(open) ?? open,
      description,
      settings,
    }),
  );
  if (options.onStateChange) session.link.onStateChange(options.onStateChange);
  if (options.eager) session.link.connect();
  return rootStub(session) as Stub<Api>;
}
