import type { RpcTarget } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_EXPIRED, CLOSE_INTERNAL, closeReason } from '../protocol/close-codes.ts';
import type { Message } from '../protocol/message.ts';
import { type ConnectedClient, EARLY_SUBPROTOCOL, SUBPROTOCOL } from '../protocol/version.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { RpcLimits } from '../session/limits.ts';
import type { OpenedConnection, ReceiveNative } from '../transport/binding.ts';
import type { Transport } from '../transport/transport.ts';
import { callerOf, expiredError, isExpired, nativeCaller } from './access/caller.ts';
import { answerDescription, asksForDescription, requireServable } from './access/served-target.ts';
import { AttachedMemory, attachCaller, attachedClient, attachTopics } from './connections/attachment.ts';
import { type ConnectedCaller, Connections, type ConnectionsHost } from './connections/connections.ts';
import { earlyCalls } from './connections/early-calls.ts';
import { answerHeartbeats, receiveMessage, SocketChannel } from './connections/sockets.ts';
import { findStored, readToken } from './connections/stored-references.ts';
import { StoredResults } from './delivery/stored-results.ts';
import { answerBatch, isBatch } from './http-batch.ts';
import { openNativeConnection } from './native-connection.ts';
import { askOthers } from './other-protocol.ts';
import { errorOfTarget, offerOf, outdatedError, refuse, switchProtocols, versionError } from './refusal.ts';
import type { CreateRpcServerOptions, RpcMetrics, RpcServer } from './rpc-server.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { type ServedClient, ServerSession } from './session.ts';
import type { EventChannel, NotedTopics } from './topics/subscriber.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { Topics, type TopicsHost } from './topics/topics.ts';

/** The server behind `createRpcServer` and `RpcObject`: what happens to the object, handed on to those who do it. */
export class DurableRpcServer implements RpcServer, TopicsHost, ConnectionsHost {
  readonly #ctx: DurableObjectState;
  readonly #options: CreateRpcServerOptions<unknown>;
  readonly #context: ServerContext;
  readonly #results: StoredResults;
  #topics: Topics | undefined;
  readonly #connections: Connections;

  /** `topics`: those of the object, where it has asked for some before. */
  constructor(ctx: DurableObjectState, options: CreateRpcServerOptions<unknown>, topics?: Topics) {
    this.#ctx = ctx;
    this.#topics = topics;
    this.#options = options;
    this.#context = createServerContext(options);
    this.#results = new StoredResults(ctx.storage, options.storedResults);
    this.#connections = new Connections(ctx, this.#hibernates, this);
    if (this.#hibernates) answerHeartbeats(ctx);
  }

  fetch(request: Request): Response | Promise<Response> | undefined {
    if (isBatch(request)) {
      return answerBatch(request, this.#context, callerOf(request), (channel, caller) =>
        this.#session(channel, caller),
      );
    }
    if (this.#options.discoverable && asksForDescription(request)) return this.#describe(request);
    const offer = offerOf(request);
    if (!offer.spoken) return this.#otherwise(request);
    const client = offer.client && { ...offer.client, since: Date.now() };
    const caller = callerOf(request);
    if (!offer.shared) return refuse(request, this.#refused(versionError(), caller));
    const isOutdated =
      client !== undefined && (this.#results.isOutdated(client) || !this.#connections.supersede(client));
    if (isOutdated) return refuse(request, outdatedError());
    const full = this.#full(caller);
    if (full !== undefined) return refuse(request, full);
    const [theirs, ours] = Object.values(new WebSocketPair());
    let session: ServerSession;
    try {
      session = this.sessionFor(ours, caller, client);
    } catch (error) {
      return refuse(request, errorOfTarget(error));
    }
    try {
      this.#connections.accept(ours, session);
    } catch (error) {
      return refuse(request, this.#refused(error as RpcError, caller));
    }
    const early = earlyCalls(offer.early, session.target, this.#context.settings);
    if (early === undefined) return switchProtocols(theirs, SUBPROTOCOL);
    session.receiveEarly(early);
    if (session.idle !== undefined) this.#ctx.waitUntil(session.idle);
    return switchProtocols(theirs, EARLY_SUBPROTOCOL);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    let session: ServerSession | undefined;
    try {
      session = this.#connections.sessionOf(socket);
    } catch (error) {
      // Not as a refusal: frames before this one may have run.
      new SocketChannel(socket).close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
      return true;
    }
    if (session === undefined) return attachedClient(socket) !== undefined;
    receiveMessage(socket, session, message);
    return session.awake ?? true;
  }

  webSocketClose(socket: WebSocket, code: number): boolean {
    return this.#connections.close(socket, code);
  }

  webSocketError(socket: WebSocket): boolean {
    return this.#connections.end(socket) !== undefined;
  }

  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Message,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection> {
    const caller = nativeCaller(identity, expiresAt);
    return openNativeConnection(receive, frame, (channel) => {
      const full = this.#full(caller);
      if (full !== undefined) throw full;
      const session = this.#session(channel, caller);
      session.subscriber = () => this.#topicsOf().subscriber(session);
      this.#connections.add(session);
      return session;
    });
  }

  findReference(token: string): unknown {
    const stored = readToken(token);
    const session = this.#connections.find(stored.connectionId);
    return session && findStored(session, stored);
  }

  releaseReference(token: string): void {
    const { connectionId, id, count } = readToken(token);
    this.#connections.find(connectionId)?.outgoing.release(id, count, false);
  }

  topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#topicsOf().topic(name, options);
  }

  connections(): Iterable<ConnectedCaller> {
    return this.#connections.open();
  }

  get metrics(): RpcMetrics {
    const { load, traffic, refusals } = this.#context;
    const { size: connections, awake } = this.#connections;
    return {
      connections,
      hibernating: Math.max(connections - awake, 0),
      callsInFlight: load.calls,
      callsSucceeded: load.succeeded,
      callsFailed: load.failed,
      ...traffic,
      refused: refusals.counts,
    };
  }

  /** Asks the other protocols. */
  #otherwise(request: Request): Response | Promise<Response> | undefined {
    return askOthers(this.#options.protocols, request, {
      context: this.#context,
      errorStacks: this.errorStacks,
      callerOf,
      target: (caller) => this.#servedTarget(caller),
      full: (caller) => this.#full(caller),
      began: (caller, close) => this.#connections.addOther(caller, close),
    });
  }

  // For topics.

  get limits(): Readonly<RpcLimits> {
    return this.#context.settings.limits;
  }

  get errorStacks(): boolean {
    return this.#options.errorStacks ?? false;
  }

  *noted(): Generator<readonly [WebSocket, EventChannel, NotedTopics]> {
    for (const [socket, { caller, topics }] of this.#connections.inUse()) {
      if (topics !== undefined) yield [socket, this.#channelOf(socket, caller), topics];
    }
  }

  channelOf(connection: object): EventChannel {
    if (connection instanceof ServerSession) return { send: (frame) => connection.sendEvents(frame), note: () => {} };
    const socket = connection as WebSocket;
    // It has just made a call.
    return this.#channelOf(socket, this.#connections.known(socket)?.caller);
  }

  #channelOf(socket: WebSocket, known: Caller | undefined): EventChannel {
    const channel = new SocketChannel(socket);
    let caller = known;
    let isOver = false;
    const send = (frame: Message) => {
      if (this.#options.reauthenticate !== undefined) caller = this.#connections.known(socket)?.caller ?? caller;
      if (!isExpired(caller?.expiresAt)) {
        this.#context.traffic.sent(frame);
        return channel.send(frame);
      }
      if (isOver) return;
      isOver = true;
      channel.close(CLOSE_EXPIRED, closeReason(this.#refused(expiredError(), caller)));
    };
    return { send, note: (topics) => this.#hibernates && attachTopics(socket, topics) };
  }

  // For connections.

  sessionFor(socket: WebSocket, caller: Caller, client: ConnectedClient | undefined): ServerSession {
    const session = this.#session(new SocketChannel(socket), caller, {
      memory: this.#hibernates ? new AttachedMemory(socket) : undefined,
      client,
      results: client === undefined ? undefined : this.#results.of(client),
      renewed: this.#options.reauthenticate && ((known) => this.#renewed(known, socket)),
    });
    session.subscriber = () => this.#topicsOf().subscriber(socket);
    return session;
  }

  began(caller: Caller): void {
    this.#tell('onConnect', caller);
  }

  ended(connection: WebSocket | ServerSession | undefined, caller: Caller): void {
    if (connection !== undefined) this.#topics?.forget(connection);
    this.#tell('onDisconnect', caller);
  }

  /** Made on first use: an object without topics has none. */
  #topicsOf(): Topics {
    this.#topics ??= new Topics(this.#ctx.storage, () => this);
    return this.#topics;
  }

  get #hibernates(): boolean {
    return this.#options.hibernate ?? true;
  }

  #session(channel: Transport, caller: Caller, client?: Omit<ServedClient, 'caller'>): ServerSession {
    const renewed = this.#options.reauthenticate && ((known: Caller) => this.#renewed(known));
    return new ServerSession(this.#servedTarget(caller), channel, this.#context, { caller, renewed, ...client });
  }

  #servedTarget(caller: Caller): RpcTarget {
    try {
      return this.#target(caller);
    } catch (error) {
      throw this.#refused(errorOfTarget(error), caller);
    }
  }

  /** Makes the target of a caller who has shown a new token, and notes at its socket who that is. */
  #renewed(caller: Caller, socket?: WebSocket): unknown {
    let target: unknown;
    try {
      target = this.#target(caller);
    } catch (error) {
      throw errorOfTarget(error);
    }
    if (socket !== undefined && this.#hibernates) attachCaller(socket, caller);
    return target;
  }

  #describe(request: Request): Response {
    const caller = callerOf(request);
    if (isExpired(caller.expiresAt)) return refuse(request, this.#refused(expiredError(), caller));
    try {
      return answerDescription(this.#servedTarget(caller));
    } catch (error) {
      return refuse(request, error as RpcError);
    }
  }

  #target(caller: Caller): RpcTarget {
    const target = this.#options.target(caller);
    requireServable(target, 'target() must return');
    return target;
  }

  /** Why there may be no further connection; undefined where there may. */
  #full(caller: Caller): RpcError | undefined {
    const { maxConnections } = this.limits;
    if (!this.#connections.reaches(maxConnections)) return undefined;
    const message = `maxConnections of ${maxConnections} exceeded: connect again later`;
    return this.#refused(new RpcError('OVERLOADED', message), caller);
  }

  /** Notes why somebody has no connection, and returns it. */
  #refused(error: RpcError, caller: Caller | undefined): RpcError {
    this.#context.refusals.add(error, 'a connection', caller);
    return error;
  }

  #tell(hook: 'onConnect' | 'onDisconnect', caller: Caller): void {
    try {
      this.#options[hook]?.(caller);
    } catch (error) {
      this.#context.onError(error, hook, undefined);
    }
  }
}

/** Makes the server of one Durable Object. `RpcObject` is a base class over it; use it where a class extends something else. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  return new DurableRpcServer(ctx, options as CreateRpcServerOptions<unknown>);
}
