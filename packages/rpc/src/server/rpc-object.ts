import type { RpcTarget } from '#platform';
import { DurableObject, WorkerEntrypoint } from '#worker';
import type { OpenedConnection } from '../transport/native.ts';
import type { Caller } from '../types/call-context.ts';
import type { ConnectedCaller, DisconnectListener } from './connections.ts';
import type { RpcMetrics } from './metrics.ts';
import { type Opening, openNative } from './native.ts';
import { type RpcServerOptions, targetFor } from './options.ts';
import { notRpc } from './refusal.ts';
import { RpcServer } from './rpc-server.ts';
import type { ServerOptions } from './server-options.ts';
import { Session } from './session.ts';
import { serverSettings } from './settings.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';

/**
 * A Durable Object that serves RPC over hibernating sockets. Its own methods and state are not remote: callers reach
 * only the target that `target` returns.
 */
export abstract class RpcObject<Env = unknown, Identity = unknown> extends DurableObject<Env> {
  readonly #server = new RpcServer(this.ctx, () => ({
    ...this.rpcOptions(),
    target: (caller) => this.target(caller as Caller<Identity>),
    onConnect: (caller) => this.onConnect?.(caller as Caller<Identity>),
    onDisconnect: (caller) => this.onDisconnect?.(caller as Caller<Identity>),
  }));

  /** Returns the target for a caller. It is called for each connection, and again after hibernation. */
  abstract target(caller: Caller<Identity>): RpcTarget;

  /**
   * Returns the options of the server. It is called once, when the first connection needs it. If it throws, connections
   * are refused with the error's message, and clients try again.
   */
  rpcOptions(): RpcServerOptions {
    return {};
  }

  /** Called when a connection has been opened; not for batches over HTTP. */
  protected onConnect?(caller: Caller<Identity>): void;

  /**
   * Called when a connection has ended, including one from before the object hibernated. Connections that end together
   * with the object, as in a crash or a deployment, are not reported; `connections()` no longer has them.
   */
  protected onDisconnect?(caller: Caller<Identity>): void;

  /** Returns a topic of the object by its name, the same one each time. The options of the first call apply. */
  protected topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#server.topic(name, options);
  }

  /** Returns the open connections, including those from before the object hibernated. */
  protected connections(): Iterable<ConnectedCaller<Identity>> {
    return this.#server.connections() as Iterable<ConnectedCaller<Identity>>;
  }

  /**
   * Calls a listener for each connection that has ended, after `onDisconnect`, with what was kept with it. It is for
   * libraries, which leave the hook to the application.
   */
  protected watchDisconnects(listener: DisconnectListener<Identity>): void {
    this.#server.watchDisconnects(listener as DisconnectListener);
  }

  /**
   * Asks all clients to leave and to connect again, such as before a deployment. Each does when its calls have settled;
   * what was made meanwhile is sent over the next connection.
   */
  protected drain(): void {
    this.#server.drain();
  }

  /** Counts of the current activity of this object, and of its refusals since it woke. */
  protected get rpcMetrics(): RpcMetrics {
    return this.#server.metrics;
  }

  /**
   * Answers WebSocket upgrades and POSTed batches of calls. A class that also serves other requests calls this first,
   * and handles the request itself if the status is 426, 415 for a POST, or 405 for another method than GET.
   */
  override async fetch(request: Request): Promise<Response> {
    return this.#server.fetch(request) ?? notRpc(request);
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

  /** Opens a connection for `connectBinding`, which calls it through the platform's own RPC. @internal */
  openRpcConnection(...opening: Opening): OpenedConnection {
    return this.#server.openRpcConnection(...opening);
  }
}

/**
 * The entrypoint of a Worker that other Workers call over a service binding with `connectBinding`. Callers reach only
 * the target that `target` returns.
 */
export abstract class RpcEntrypoint<Env = unknown, Identity = unknown> extends WorkerEntrypoint<Env> {
  /** Returns the target for a caller. It is called for each connection. */
  abstract target(caller: Caller<Identity>): RpcTarget;

  /** Returns the options of the server. It is called for each connection. */
  rpcOptions(): ServerOptions {
    return {};
  }

  /** Opens a connection for `connectBinding`, which calls it through the platform's own RPC. @internal */
  openRpcConnection(...opening: Opening): OpenedConnection {
    return openNative(opening, (transport, caller) => {
      const settings = serverSettings(this.rpcOptions());
      const target = targetFor({ target: (known) => this.target(known as Caller<Identity>) }, caller);
      return { session: new Session(settings, target, transport, { caller }) };
    });
  }
}
