import { connectOver } from './client/connect.ts';
import type { ConnectOptions } from './client/options.ts';
import { requireTarget } from './server/members.ts';
import { Counted } from './server/backlog.ts';
import { Session } from './server/session.ts';
import type { ServerOptions } from './server/settings.ts';
import { serverSettings } from './server/settings.ts';
import { memoryTransport } from './transport/memory.ts';

export { RpcTarget } from '#platform';

/**
 * Returns a stub for a target in the same thread, through the real client, frames and server. Use it in tests, and in
 * code that should not depend on where its target is.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`, or its `static rpc` is invalid
 */
export function connectInMemory<Api extends object>(target: Api, options: ConnectOptions & ServerOptions = {}): Api {
  const settings = serverSettings(options);
  requireTarget(target, 'connectInMemory() needs');
  const { maxBytesInFlight } = settings.limits;
  const open = memoryTransport((channel) => new Session(settings, target, new Counted(channel, maxBytesInFlight)));
  return connectOver<Api>(open, 'a target in memory', options);
}
