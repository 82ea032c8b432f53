import type { Peer, Transport } from '../transport/transport.ts';
import { newCaller } from './access/connection-info.ts';
import { requireServable } from './access/served-target.ts';
import type { ServeOptions } from './options.ts';
import { createServerContext } from './server-context.ts';
import { ServerSession } from './session.ts';

/**
 * Serves a target to one client over a transport of one's own: `channel` takes what is for the client, and what comes
 * from it is given to the peer that this returns.
 * @throws {TypeError} where the target is of no class that extends `RpcTarget`
 */
export function serveOver(channel: Transport, target: object, options: ServeOptions = {}): Peer {
  requireServable(target, 'serving needs');
  return new ServerSession(target, channel, createServerContext(options), { caller: newCaller(options.identity) });
}
