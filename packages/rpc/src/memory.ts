import { connectOver } from './client/connect.ts';
import type { ConnectOptions } from './client/options.ts';
import { Counted } from './server/backlog.ts';
import { newCaller } from './server/callers.ts';
import { requireTarget } from './server/members.ts';
import type { ServeOptions } from './server/serve.ts';
import { Session } from './server/session.ts';
import { serverSettings } from './server/settings.ts';
import { memoryTransport } from './transport/memory.ts';
import type { Stub } from './types/stub.ts';

export { RpcTarget } from '#platform';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './types/stub.ts';
export type { Recorded, Remote } from './types/value-kinds.ts';
export type { ConnectOptions, ServeOptions };

/**
 * Returns a stub for a target in the same thread, through the real client, frames and server. Use it in tests, and in
 * code that should not depend on where its target is.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`, or its `static rpc` is invalid
 */
export function connectInMemory<Api extends object>(
  target: Api,
  options: ConnectOptions & ServeOptions = {},
): Stub<Api> {
  const settings = serverSettings(options);
  requireTarget(target, 'connectInMemory() needs');
  const { maxBytesInFlight } = settings.limits;
  const open = memoryTransport((channel) => {
    const caller = newCaller(options.identity);
    return new Session(settings, target, new Counted(channel, maxBytesInFlight), { caller });
  });
  return connectOver<Api>(open, 'a target in memory', options);
}
