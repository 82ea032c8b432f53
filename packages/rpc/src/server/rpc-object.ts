import type { RpcTarget } from '#platform';
import { DurableObject } from '#worker';
import type { Message } from '../protocol/message.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { OpenedConnection, ReceiveNative } from '../transport/binding.ts';
import type { ConnectedCaller } from './connections/connections.ts';
import { DurableRpcServer } from './durable-rpc-server.ts';
import type { RpcServerOptions } from './options.ts';
import { notRpc } from './refusal.ts';
import type { RpcMetrics } from './rpc-server.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { Topics } from './topics/topics.ts';

/**
 * A Durable Object that serves RPC over hibernating sockets. Its own methods and state are not remote: callers reach
 * what `target` returns, and only that.
 */
export abstract class RpcObject<Env = unknown, Identity = unknown> extends DurableObject<Env> {
  #server: DurableRpcServer | undefined;
  /** Topics that were asked for before there was a server; then the server has them. */
  #topics: Topics | undefined;

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
    if (this.#server !== undefined) return this.#server.topic(name, options);
    this.#topics ??= new Topics(this.ctx.storage, () => this.#rpc());
    return this.#topics.topic(name, options);
  }

  /** Goes through the open connections, also those from before the object hibernated. */
  protected connections(): Iterable<ConnectedCaller<Identity>> {
    return this.#rpc().connections() as Iterable<ConnectedCaller<Identity>>;
  }

  /** Answers upgrades to RPC and POSTs of calls. A class that has other requests to answer calls this first and goes on where it gets 426. */
  override async fetch(request: Request): Promise<Response> {
    return this.#rpc().fetch(request) ?? notRpc(request);
  }

  /** Returns the stub that a token of `storeReference` stands for; undefined where its client is no longer connected. */
  protected findReference<T>(token: string): T | undefined {
    return this.#rpc().findReference(token) as T | undefined;
  }

  /** Lets the client forget what a token of `storeReference` stands for. */
  protected releaseReference(token: string): void {
    this.#rpc().releaseReference(token);
  }

  /** Counts of what is going on in this object, and of what it has refused since it woke. */
  protected get rpcMetrics(): RpcMetrics {
    return this.#rpc().metrics;
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void> {
    const handled = this.#rpc().webSocketMessage(socket, message);
    if (typeof handled === 'object') return handled;
  }

  override webSocketClose(socket: WebSocket, code: number, _reason: string, _wasClean: boolean): void {
    this.#rpc().webSocketClose(socket, code);
  }

  override webSocketError(socket: WebSocket, _error: unknown): void {
    this.#rpc().webSocketError(socket);
  }

  /** For `connectBinding`, which calls it by the platform's own RPC. @internal */
  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Message,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection> {
    return this.#rpc().openRpcConnection(receive, identity, frame, expiresAt);
  }

  #rpc(): DurableRpcServer {
    // Not in the constructor: a subclass may set in its own what its options or targets need.
    this.#server ??= new DurableRpcServer(
      this.ctx,
      {
        ...this.rpcOptions(),
        target: (caller) => this.target(caller as Caller<Identity>),
        onConnect: (caller) => this.onConnect?.(caller as Caller<Identity>),
        onDisconnect: (caller) => this.onDisconnect?.(caller as Caller<Identity>),
      },
      this.#topics,
    );
    return this.#server;
  }
}
