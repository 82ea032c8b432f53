import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_EXPIRED, CLOSE_INTERNAL, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../protocol/close-codes.ts';
import type { OfferedClient } from '../protocol/version.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { RpcLimits } from '../session/limits.ts';
import type { OpenedConnection, ReceiveNative } from '../transport/native.ts';
import type { Transport } from '../transport/transport.ts';
import {
  AttachedMemory,
  attach,
  attachedClient,
  attachedTopics,
  attachTopics,
  clientTag,
  connectionTag,
  supersede,
} from './attachment.ts';
import { ConnectionCount } from './connection-count.ts';
import { callerOf, nativeCaller } from './connection-info.ts';
import { expiredError, isExpired } from './expiring.ts';
import { answerBatch, isBatch } from './http-batch.ts';
import type { RpcMetrics } from './metrics.ts';
import { openNativeConnection } from './native-connection.ts';
import type { RpcServerOptions } from './options.ts';
import { errorOfTarget, offerOf, outdatedError, refuse, switchProtocols, versionError } from './refusal.ts';
import { requireServable } from './served-target.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { type ServedClient, ServerSession } from './session.ts';
import { answerHeartbeats, receiveMessage, SocketChannel, serveAccepted } from './sockets.ts';
import { findStored, readToken } from './stored-references.ts';
import { StoredResults } from './stored-results.ts';
import type { NotedTopics, SubscriberHost } from './topics/subscriber.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { Topics, type TopicsHost } from './topics/topics.ts';

/** What a class needs to serve RPC: methods to call from its own of the same names. */
export interface RpcServer {
  /** Answers an upgrade to a WebSocket, or a POST of calls; undefined where the request is not for this protocol. */
  fetch(request: Request): Response | Promise<Response> | undefined;
  /**
   * Handles a message of a hibernating socket; false where the socket is not this library's. What it returns is to be
   * returned from the object's own handler: a promise, while calls run, keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void>;
  /** Handles the end of a socket and returns true; false where it is not this library's. */
  webSocketClose(socket: WebSocket, code: number): boolean;
  webSocketError(socket: WebSocket): boolean;
  /** Returns the stub that a token of `storeReference` stands for; undefined where its client is no longer connected. */
  findReference(token: string): unknown;
  /** Lets the client forget what a token stands for. */
  releaseReference(token: string): void;
  /** Returns a topic of the object by its name, the same one each time. The options of the first call count. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event>;
  /** Goes through the open connections. */
  connections(): Iterable<ConnectedCaller>;
  /** What is going on, and what has been refused since the object woke. */
  readonly metrics: RpcMetrics;
  /**
   * Serves a Worker that connects by the platform's own RPC. A class that wants that has a public method
   * `openRpcConnection` which calls this: for `connectBinding`, and only reachable by those who have the binding.
   */
  openRpcConnection(receive: ReceiveNative, identity: string, frame: Uint8Array, expiresAt?: number): OpenedConnection;
}

/** An open connection. */
export interface ConnectedCaller<Identity = unknown> {
  readonly caller: Caller<Identity>;
  /** What it is subscribed to. */
  readonly topics: readonly { readonly name: string }[];
}

/** How `createRpcServer` gets its targets, beside the options. */
export interface CreateRpcServerOptions<Identity> extends RpcServerOptions {
  /** Returns what a caller may talk to, an instance of a class that extends `RpcTarget`; called again after hibernation. */
  target: (caller: Caller<Identity>) => unknown;
  /** Told of each connection that has been opened; not of batches over HTTP. */
  onConnect?: ((caller: Caller<Identity>) => void) | undefined;
  /** Told of each connection that has ended, also one from before the object hibernated. */
  onDisconnect?: ((caller: Caller<Identity>) => void) | undefined;
}

/** Makes the server of one Durable Object. `RpcObject` is a base class over it; use it where a class extends something else. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  const server: DurableRpcServer = new DurableRpcServer(
    ctx,
    options as CreateRpcServerOptions<unknown>,
    new Topics(ctx.storage, () => server),
  );
  return server;
}

/** The server behind `createRpcServer` and `RpcObject`. */
export class DurableRpcServer implements RpcServer, TopicsHost {
  readonly #ctx: DurableObjectState;
  readonly #options: CreateRpcServerOptions<unknown>;
  readonly #context: ServerContext;
  readonly #results: StoredResults;
  /** Sessions of this life of the object. After hibernation it is empty, and each is made again with its next frame. */
  readonly #sessions = new Map<WebSocket, ServerSession>();
  /** Sockets whose end was told of. */
  readonly #gone = new WeakSet<WebSocket>();
  /** Connections that the platform's own RPC carries. */
  readonly #native = new Set<ServerSession>();
  readonly #topics: Topics;
  readonly #connections: ConnectionCount;

  constructor(ctx: DurableObjectState, options: CreateRpcServerOptions<unknown>, topics: Topics) {
    this.#ctx = ctx;
    this.#topics = topics;
    this.#options = options;
    this.#context = createServerContext(options);
    this.#results = new StoredResults(ctx.storage, options.storedResults);
    this.#connections = new ConnectionCount(
      () => (this.#hibernates ? ctx.getWebSockets().length : this.#sessions.size),
      () => this.#native.size,
    );
    if (this.#hibernates) answerHeartbeats(ctx);
  }

  fetch(request: Request): Response | Promise<Response> | undefined {
    if (isBatch(request)) {
      return answerBatch(request, this.#context, callerOf(request), (channel, caller) =>
        this.#session(channel, caller),
      );
    }
    const offer = offerOf(request);
    if (!offer.spoken) return undefined;
    const caller = callerOf(request);
    if (!offer.shared) {
      const error = versionError();
      this.#context.refusals.add(error, 'a connection', caller);
      return refuse(request, error);
    }
    if (this.#isOutdated(offer.client)) return refuse(request, outdatedError());
    const full = this.#full(caller);
    if (full !== undefined) return refuse(request, full);
    const [client, server] = Object.values(new WebSocketPair());
    let session: ServerSession;
    try {
      if (offer.client !== undefined) this.#supersede(offer.client);
      session = this.#socketSession(server, caller, offer.client);
    } catch (error) {
      return refuse(request, errorOfTarget(error));
    }
    this.#sessions.set(server, session);
    this.#connections.added();
    if (this.#hibernates) {
      const tags = [connectionTag(caller.connectionId)];
      if (offer.client !== undefined) tags.push(clientTag(offer.client));
      this.#ctx.acceptWebSocket(server, tags);
      attach(server, caller, offer.client);
    } else {
      session.ended = () => {
        this.#sessions.delete(server);
        this.#connections.removed();
        this.#topics.forget(server);
        this.#tell('onDisconnect', caller);
      };
      serveAccepted(server, session);
    }
    this.#tell('onConnect', caller);
    return switchProtocols(client, offer.echo);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    let session: ServerSession | undefined;
    try {
      session = this.#sessionOf(socket);
    } catch (error) {
      // Not as a refusal: frames before this one may have run.
      socket.close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
      return true;
    }
    if (session === undefined) return attachedClient(socket) !== undefined;
    receiveMessage(socket, session, message);
    return session.idle ?? true;
  }

  webSocketClose(socket: WebSocket, code: number): boolean {
    const attached = attachedClient(socket);
    if (!this.#forget(socket) && attached === undefined) return false;
    // Only who closes for good says so: whoever loses a connection comes back.
    if (code === CLOSE_NORMAL && attached?.client && !attached.isSuperseded) {
      this.#results.forget(attached.client.name);
    }
    try {
      // Before compatibility date 2026-04-07 the runtime leaves it to the object to answer a close.
      socket.close(code === 1005 || code === 1006 ? CLOSE_NORMAL : code);
    } catch {
      // It is closed already, which is all that was wanted.
    }
    return true;
  }

  webSocketError(socket: WebSocket): boolean {
    return this.#forget(socket) || attachedClient(socket) !== undefined;
  }

  /** Ends the session of a socket that is gone; false where it had none. */
  #forget(socket: WebSocket): boolean {
    const caller = attachedClient(socket)?.caller;
    const session = this.#sessions.get(socket);
    this.#sessions.delete(socket);
    session?.lost();
    this.#topics.forget(socket);
    // An error may be told of before the close.
    if (caller !== undefined && !this.#gone.has(socket)) {
      this.#gone.add(socket);
      this.#connections.removed();
      this.#tell('onDisconnect', caller);
    }
    return session !== undefined;
  }

  #tell(hook: 'onConnect' | 'onDisconnect', caller: Caller): void {
    try {
      this.#options[hook]?.(caller);
    } catch (error) {
      this.#context.onError(error, hook, undefined);
    }
  }

  topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#topics.topic(name, options);
  }

  *connections(): Generator<ConnectedCaller> {
    const named = (names: Iterable<string>) => [...names].map((name) => ({ name }));
    for (const socket of this.#ctx.getWebSockets()) {
      if (!this.#isInUse(socket)) continue;
      yield { caller: attachedClient(socket)!.caller, topics: named(attachedTopics(socket)?.keys() ?? []) };
    }
    for (const session of this.#hibernates ? this.#native : [...this.#sessions.values(), ...this.#native]) {
      yield { caller: session.caller!, topics: named(session.subscriber!().topics) };
    }
  }

  get limits(): Readonly<RpcLimits> {
    return this.#context.settings.limits;
  }

  get errorStacks(): boolean {
    return this.#options.errorStacks ?? false;
  }

  *noted(): Generator<readonly [WebSocket, NotedTopics]> {
    for (const socket of this.#ctx.getWebSockets()) {
      const topics = attachedTopics(socket);
      if (topics !== undefined && this.#isInUse(socket)) yield [socket, topics];
    }
  }

  /** Whether a socket is a connection of this library that has not ended. */
  #isInUse(socket: WebSocket): boolean {
    if (socket.readyState !== WebSocket.OPEN || this.#gone.has(socket)) return false;
    const attached = attachedClient(socket);
    return attached !== undefined && !attached.isSuperseded;
  }

  channelOf(connection: object): Pick<SubscriberHost, 'send' | 'note'> {
    if (connection instanceof ServerSession) return { send: (frame) => connection.sendEvents(frame), note: () => {} };
    const socket = connection as WebSocket;
    const channel = new SocketChannel(socket);
    const caller = this.#sessions.get(socket)?.caller ?? attachedClient(socket)?.caller;
    let isOver = false;
    const send = (frame: Uint8Array<ArrayBuffer>) => {
      if (!isExpired(caller?.expiresAt)) return channel.send(frame);
      if (isOver) return;
      isOver = true;
      const error = expiredError();
      this.#context.refusals.add(error, 'a connection', caller);
      channel.close(CLOSE_EXPIRED, closeReason(error));
    };
    return { send, note: (topics) => this.#hibernates && attachTopics(socket, topics) };
  }

  findReference(token: string): unknown {
    const stored = readToken(token);
    const session = this.#sessionFor(stored.connectionId);
    return session && findStored(session, stored);
  }

  releaseReference(token: string): void {
    const { connectionId, id, count } = readToken(token);
    this.#sessionFor(connectionId)?.releaseStored(id, count);
  }

  openRpcConnection(receive: ReceiveNative, identity: string, frame: Uint8Array, expiresAt?: number): OpenedConnection {
    const caller = nativeCaller(identity, expiresAt);
    return openNativeConnection(receive, frame, (channel) => {
      const full = this.#full(caller);
      if (full !== undefined) throw full;
      const session = this.#session(channel, caller);
      session.subscriber = () => this.#topics.subscriber(session);
      session.ended = () => {
        this.#native.delete(session);
        this.#topics.forget(session);
        this.#tell('onDisconnect', caller);
      };
      this.#native.add(session);
      this.#tell('onConnect', caller);
      return session;
    });
  }

  get metrics(): RpcMetrics {
    return {
      connections: this.#connections.exact,
      callsInFlight: this.#context.load.calls,
      refused: this.#context.refusals.counts,
    };
  }

  /** The session of a socket, made again where the object has left memory since; undefined for sockets that are not the library's, or not in use any more. */
  #sessionOf(socket: WebSocket): ServerSession | undefined {
    let session = this.#sessions.get(socket);
    if (session !== undefined) return session;
    const attached = attachedClient(socket);
    if (attached === undefined || attached.isSuperseded) return undefined;
    session = this.#socketSession(socket, attached.caller, attached.client);
    this.#sessions.set(socket, session);
    return session;
  }

  #sessionFor(connectionId: string): ServerSession | undefined {
    const [socket] = this.#ctx.getWebSockets(connectionTag(connectionId));
    if (socket !== undefined) return this.#sessionOf(socket);
    return [...this.#sessions.values()].find(({ caller }) => caller?.connectionId === connectionId);
  }

  get #hibernates(): boolean {
    return this.#options.hibernate ?? true;
  }

  #socketSession(socket: WebSocket, caller: Caller, client: OfferedClient | undefined): ServerSession {
    const session = this.#session(new SocketChannel(socket), caller, {
      memory: this.#hibernates ? new AttachedMemory(socket) : undefined,
      client,
      results: client === undefined ? undefined : this.#results.of(client.name),
    });
    session.subscriber = () => this.#topics.subscriber(socket);
    return session;
  }

  /**
   * Ends what a client that connects again has left behind: its connection may not know yet that it is lost, and what is still
   * on its way over that must not run when its calls have been made again.
   */
  #supersede(client: OfferedClient): void {
    for (const [socket] of this.#connectionsOf(client)) {
      supersede(socket);
      this.#forget(socket);
      socket.close(CLOSE_SUPERSEDED, 'the client has connected again');
    }
  }

  /** Whether the client has connected since it sent this upgrade: it was held up, or somebody sends it a second time. */
  #isOutdated(client: OfferedClient | undefined): boolean {
    return client !== undefined && this.#connectionsOf(client).some(([, attempt]) => attempt >= client.attempt);
  }

  /** The sockets of a client, and which of its attempts made them. */
  #connectionsOf(client: OfferedClient): [socket: WebSocket, attempt: number][] {
    // Those that do not hibernate have no tags, and no attachment.
    const sockets = this.#hibernates
      ? this.#ctx.getWebSockets(clientTag(client))
      : [...this.#sessions.keys()].filter((socket) => this.#sessions.get(socket)!.client?.name === client.name);
    return sockets.map((socket) => {
      const known = this.#sessions.get(socket)?.client ?? attachedClient(socket)?.client;
      return [socket, known?.attempt ?? 0];
    });
  }

  #session(channel: Transport, caller: Caller, client?: Omit<ServedClient, 'caller'>): ServerSession {
    try {
      const target = this.#options.target(caller);
      requireServable(target, 'target() must return');
      return new ServerSession(target, channel, this.#context, { caller, ...client });
    } catch (error) {
      const refused = errorOfTarget(error);
      this.#context.refusals.add(refused, 'a connection', caller);
      throw refused;
    }
  }

  /** Why there may be no further connection; undefined where there may. */
  #full(caller: Caller): RpcError | undefined {
    const { maxConnections } = this.#context.settings.limits;
    if (!this.#connections.reaches(maxConnections)) return undefined;
    const error = new RpcError('OVERLOADED', `maxConnections of ${maxConnections} exceeded: connect again later`);
    this.#context.refusals.add(error, 'a connection', caller);
    return error;
  }
}
