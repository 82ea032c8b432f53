import type { Caller } from '../types/call-context.ts';
import { requireTarget } from './members.ts';
import type { OtherProtocol } from './protocols.ts';
import { errorOf } from './refusal.ts';
import type { ServerOptions } from './server-options.ts';
import type { StoredResultsOptions } from './stored-results.ts';

/** Options for an object that serves targets. */
export interface RpcServerOptions extends ServerOptions {
  /**
   * Accepts sockets with the Hibernation API, so that the object can leave memory while they stay open.
   * @default true
   */
  hibernate?: boolean;
  /** Other protocols that are answered, such as `capnWeb()` of `@lumenize/capnweb`. @default none */
  protocols?: readonly OtherProtocol[];
  /** Limits on the age, number and size of the stored results of exactly-once methods. */
  storedResults?: StoredResultsOptions;
}

/** Options of `createRpcServer`, including the target. */
export interface CreateRpcServerOptions<Identity = unknown> extends RpcServerOptions {
  /**
   * Returns the target for a caller, an instance of a class that extends `RpcTarget`. It is called for each connection,
   * and again after hibernation.
   */
  target: (caller: Caller<Identity>) => unknown;
  /** Called when a connection has been opened; not for batches over HTTP. */
  onConnect?: ((caller: Caller<Identity>) => void) | undefined;
  /**
   * Called when a connection has ended, including one from before the object hibernated. Connections that end together
   * with the object, as in a crash or a deployment, are not reported; `connections()` no longer has them.
   */
  onDisconnect?: ((caller: Caller<Identity>) => void) | undefined;
}

/** Returns the target for a caller. @throws {RpcError} with a message for the caller if there is none */
export function targetFor({ target }: Pick<CreateRpcServerOptions, 'target'>, caller: Caller): object {
  try {
    const found = target(caller);
    requireTarget(found, 'target() must return');
    return found;
  } catch (error) {
    throw errorOf(error, 'target()');
  }
}
