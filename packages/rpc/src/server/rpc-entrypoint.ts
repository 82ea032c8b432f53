import type { RpcTarget } from '#platform';
import { WorkerEntrypoint } from '#worker';
import type { Message } from '../protocol/message.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { OpenedConnection, ReceiveNative } from '../transport/binding.ts';
import { nativeCaller } from './access/caller.ts';
import { requireServable } from './access/served-target.ts';
import { openNativeConnection } from './native-connection.ts';
import type { RpcServerOptions } from './options.ts';
import { createServerContext } from './server-context.ts';
import { ServerSession } from './session.ts';

/**
 * A Worker's entrypoint that other Workers call over a service binding, with `connectBinding`: callers reach what
 * `target` returns, and only that.
 */
export abstract class RpcEntrypoint<Env = unknown, Identity = unknown> extends WorkerEntrypoint<Env> {
  /** Returns what this caller may talk to; called for each connection. */
  abstract target(caller: Caller<Identity>): RpcTarget;

  /** Returns how to serve; asked for each connection. */
  rpcOptions(): Omit<RpcServerOptions, 'hibernate'> {
    return {};
  }

  /** For `connectBinding`, which calls it by the platform's own RPC. @internal */
  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Message,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection> {
    return openNativeConnection(receive, frame, (channel) => {
      const caller = nativeCaller<Identity>(identity, expiresAt);
      const renewed = (known: Caller) => this.#servable(known as Caller<Identity>);
      const context = createServerContext(this.rpcOptions());
      return new ServerSession(this.#servable(caller), channel, context, { caller, renewed });
    });
  }

  #servable(caller: Caller<Identity>): RpcTarget {
    const target = this.target(caller);
    requireServable(target, 'target() must return');
    return target;
  }
}
