import { connectOver } from './client/connect.ts';
import type { ConnectOptions } from './client/options.ts';
import type { Stub } from './client/types.ts';
import { Expiring, identityText } from './server/access/caller.ts';
import { bindingTransport, type NativeServer } from './transport/binding.ts';

export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './client/types.ts';
export type { Recorded, Remote } from './protocol/value-kinds.ts';

/** Options for connecting through a binding. */
export interface ConnectBindingOptions extends ConnectOptions {
  /**
   * Identity of the caller, which `target` receives as `caller.identity`. It may be any value that can be cloned, or
   * `expiring()`. It is trusted, because only Workers that have the binding can set it.
   * @default undefined
   */
  identity?: unknown;
}

/**
 * Returns a stub for the target of an `RpcObject`, given the platform's stub of the object, or of an `RpcEntrypoint`,
 * given the service binding. The connection ends with the request in which it was made, unless a Durable Object made
 * it. After a loss the next call connects again, to an object only if `binding` is a function that returns a new stub:
 * a stub whose object was reset stays broken.
 * @throws {TypeError} if the value is neither of the two, such as a namespace, or a binding that does not exist, or if the
 * identity cannot be cloned
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connectBinding<Api extends object = any>(
  binding: object | (() => object),
  options: ConnectBindingOptions = {},
): Stub<Api> {
  const isNew = typeof binding === 'function' && !('openRpcConnection' in binding);
  const server = () => checked(isNew ? binding() : binding);
  // A stub whose object was reset stays broken, and that of an earlier request cannot be used.
  const stale = isNew ? '' : ': give connectBinding() a function that returns a new stub';
  if (!isNew) server();
  const { identity } = options;
  const said = identity instanceof Expiring ? identity : new Expiring(identity, undefined);
  const open = bindingTransport(server, stale, identityText(said.identity), said.expiresAt);
  return connectOver(open, 'the binding', options);
}

function checked(server: NativeServer | undefined): NativeServer {
  if (typeof server?.openRpcConnection === 'function') return server;
  throw new TypeError('connectBinding() needs a service binding, or a stub, as from env.COUNTER.getByName()');
}
