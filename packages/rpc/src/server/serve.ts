import type { Served, Transport } from '../transport/transport.ts';
import { Counted } from './backlog.ts';
import { newCaller } from './callers.ts';
import { requireTarget } from './members.ts';
import type { ServerOptions } from './server-options.ts';
import { Session } from './session.ts';
import { serverSettings } from './settings.ts';

/** Options for serving a target to one client. */
export interface ServeOptions extends ServerOptions {
  /**
   * Identity of the caller, which guards and the target's methods find as `callContext().caller.identity`. It may be an
   * `expiring()` one.
   * @default undefined
   */
  identity?: unknown;
}

/**
 * Serves a target to the client of your own transport. Pass the messages of the client to the returned object, and its
 * end.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`, or its `static rpc` is invalid
 */
export function serveOver(transport: Transport, target: object, options: ServeOptions = {}): Served {
  const settings = serverSettings(options);
  requireTarget(target, 'serveOver() needs');
  const counted = new Counted(transport, settings.limits.maxBytesInFlight);
  return new Session(settings, target, counted, { caller: newCaller(options.identity) });
}
