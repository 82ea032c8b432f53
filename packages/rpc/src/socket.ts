import { connectOver } from './client/connect.ts';
import type { ConnectOptions } from './client/options.ts';
import { type ServeOptions, serveOver } from './server/serve.ts';
import type { Listenable } from './transport/listen.ts';
import { type ServedSocket, type SocketLike, serveSocketTransport, socketTransport } from './transport/socket.ts';
import type { Stub } from './types/stub.ts';

export { RpcTarget } from '#platform';
export { SUBPROTOCOL } from './protocol.ts';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './types/stub.ts';
export type { Recorded, Remote } from './types/value-kinds.ts';
export type { ConnectOptions, Listenable, ServedSocket, ServeOptions, SocketLike };

/**
 * Returns a stub for the target behind a socket. `open` makes the socket, for example with
 * `(protocols) => new WebSocket(url, protocols)` of the package `ws`. It is called again after the connection is lost.
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connectSocket<Api extends object = any>(
  open: (protocols: string[]) => SocketLike & Listenable,
  options?: ConnectOptions,
): Stub<Api> {
  return connectOver<Api>(socketTransport(open), 'the socket', options);
}

/**
 * Serves a target to the client of a socket that a server has accepted, for example of `ws`, Deno or Bun. Bun's
 * handlers pass messages and the end to the returned object.
 * @throws {TypeError} if the target's class does not extend `RpcTarget`
 */
export function serveSocket(socket: SocketLike, target: object, options: ServeOptions = {}): ServedSocket {
  return serveSocketTransport(socket, (transport) => serveOver(transport, target, options));
}
