import { connectOver } from './client/connect.ts';
import type { ConnectOptions } from './client/options.ts';
import type { Stub } from './client/types.ts';
import { requireServable } from './server/access/served-target.ts';
import type { ServeOptions } from './server/options.ts';
import { serveOver } from './server/session.ts';
import { memoryTransport } from './transport/memory.ts';

export { RpcTarget } from '#platform';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './client/types.ts';
export type { Recorded, Remote } from './protocol/value-kinds.ts';
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
  // Checked before the client connects, which would take the error for trouble with the connection.
  requireServable(target, 'connectInMemory() needs');
  const open = memoryTransport((channel) => serveOver(channel, target, options));
  return connectOver<Api>(open, 'a target in memory', options);
}
