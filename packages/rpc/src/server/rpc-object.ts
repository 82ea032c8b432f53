import type { RpcTarget } from '#platform';
import { DurableObject, WorkerEntrypoint } from '#worker';
import type { Caller } from '../session/incoming/call-context.ts';
import type { NativeServer } from '../transport/binding.ts';
import { nativeCaller } from './access/caller.ts';
import { requireServable } from './access/served-target.ts';
import type { ConnectedCaller } from './connections/connections.ts';
import { type RpcMetrics, RpcServer } from './durable-server.ts';
import { openNativeConnection } from './native-connection.ts';
import type { RpcServerOptions } from './options.ts';
import { notRpc } from './refusal.ts';
import { createServerContext } from './server-context.ts';
import { ServerSession } from './session.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';

type Opening = Parameters<NativeServer['openRpcConnection']>;
type Opened = ReturnType<NativeServer['openRpcConnection']>;

/**
 * A Durable Object that serves RPC over hibernating sockets. Its own methods and state are not remote: callers reach
 * what `target` returns, and only that.
 */
export abstract class RpcObject<Env = unknown, Identity = unknown> extends DurableObject<Env> {
  readonly #server = new RpcServer(this.ctx, () => ({
    ...this.rpcOptions(),
    target: (caller) => this.target(caller as Caller<Identity>),
    onConnect: (caller) => this.onConnect?.(caller as Caller<Identity>),
    onDisconnect: (caller) => this.onDisconnect?.(caller as Caller<Identity>),
  }));

  /** Returns what this caller may talk to. It is called for each connection, and again after hibernation. */
  abstract target(caller: Caller<Identity>): RpcTarget;

  /** Returns how to serve; asked once, when the first connection needs it. */
  rpcOptions(): RpcServerOptions {
    return {};
  }

  /** Called for each connection that has been opened; not for batches over HTTP. */
  protected onConnect?(caller: Caller<Identity>): void;

  /** Called for each connection that has ended, also one from before the object hibernated. */
  protected onDisconnect?(caller: Caller<Identity>): void;

  /** Returns a topic of the object by its name, the same one each time. The options of the first call count. */
  protected topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#server.topic(name, options);
  }

  /** Goes through the open connections, also those from before the object hibernated. */
  protected connections(): Iterable<ConnectedCaller<Identity>> {
    return this.#server.connections() as Iterable<ConnectedCaller<Identity>>;
  }

  /** Answers upgrades to RPC and POSTs of calls. A class that has other requests to answer calls this first and goes on where it gets 426. */
  override async fetch(request: Request): Promise<Response> {
    return this.#server.fetch(request) ?? notRpc(request);
  }

  /** Returns the stub that a token of `storeReference` stands for; undefined where its client is no longer connected. */
  protected findReference<T>(token: string): T | undefined {
    return this.#server.findReference(token) as T | undefined;
  }

  /** Lets the client forget what a token of `storeReference` stands for. */
  protected releaseReference(token: string): void {
    this.#server.releaseReference(token);
  }

  /** Counts of what is going on in this object, and of what it has refused since it woke. */
  protected get rpcMetrics(): RpcMetrics {
    return this.#server.metrics;
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void> {
    const handled = this.#server.webSocketMessage(socket, message);
    if (typeof handled === 'object') return handled;
  }

  override webSocketClose(socket: WebSocket, code: number, _reason: string, _wasClean: boolean): void {
    this.#server.webSocketClose(socket, code);
  }

  override webSocketError(socket: WebSocket, _error: unknown): void {
    this.#server.webSocketError(socket);
  }

  /** For `connectBinding`, which calls it by the platform's own RPC. @internal */
  openRpcConnection(...opening: Opening): Opened {
    return this.#server.openRpcConnection(...opening);
  }
}

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
  openRpcConnection(...[receive, identity, frame, expiresAt]: Opening): Opened {
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
