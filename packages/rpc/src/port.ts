import { connectOver } from './client/connect.ts';
import type { ConnectOptions } from './client/options.ts';
import { requireTarget } from './server/members.ts';
import { type ServeOptions, serveOver } from './server/serve.ts';
import { serverSettings } from './server/settings.ts';
import { type PortLike, type PortOptions, portOf, portTransport, servePortTransport } from './transport/port.ts';
import type { Stub } from './types/stub.ts';

export { RpcTarget } from '#platform';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './types/stub.ts';
export type { Recorded, Remote } from './types/value-kinds.ts';
export type { PortLike, PortOptions };

/** Options for connecting through a port. */
export interface ConnectPortOptions extends ConnectOptions, PortOptions {
  /** Longest wait for the other end to serve, in milliseconds. @default 30000 */
  openTimeoutMs?: number;
}

/** Options for serving through a port. */
export interface ServePortOptions extends ServeOptions, PortOptions {}

/**
 * Returns a stub for the target that is served at the other end of a port: a MessagePort, a Worker, the `self` of a
 * Worker, or a window. You keep the port: closing the connection does not close it.
 * @throws {TypeError} if the port is invalid, or is a window and `targetOrigin` is missing
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connectPort<Api extends object = any>(port: PortLike, options: ConnectPortOptions = {}): Stub<Api> {
  return connectOver<Api>(portTransport(portOf(port, options), options.openTimeoutMs), 'the port', options);
}

/**
 * Serves a target to every client that connects through a port, until the returned object is disposed.
 * @throws {TypeError} if the port is invalid, is a window and `targetOrigin` is missing, or the target's class does not
 * extend `RpcTarget`, or an option is invalid
 */
export function servePort(port: PortLike, target: object, options: ServePortOptions = {}): Disposable {
  requireTarget(target, 'servePort() needs');
  serverSettings(options); // who has made a mistake is told at once
  return servePortTransport(portOf(port, options), (transport) => serveOver(transport, target, options));
}
