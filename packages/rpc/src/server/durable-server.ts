import type { RpcTarget } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_INTERNAL, closeReason } from '../protocol/errors.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { requireTarget } from '../session/incoming/declarations.ts';
import type { NativeServer } from '../transport/binding.ts';
import type { Transport } from '../transport/transport.ts';
import { callerOf, knownCaller } from './access/caller.ts';
import { ClientSocket, receiveMessage } from './connections/attachment.ts';
import { type ConnectedCaller, Connections, type OtherConnection } from './connections/connections.ts';
import { takeEarlyCalls } from './connections/early-calls.ts';
import { findStored, readReferenceToken } from './connections/stored-references.ts';
import { StoredResults } from './delivery/stored-results.ts';
import { NativeEvents, openNativeConnection } from './native-connection.ts';
import type { RpcServerOptions } from './options.ts';
import { errorOfTarget, outdatedError, type SpokenOffer, switchProtocols } from './refusal.ts';
import { answerRequest } from './serve-rpc.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { type ServedClient, ServerSession } from './session.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { Topics } from './topics/topics.ts';

/** Options of `createRpcServer`, including the target. */
export interface CreateRpcServerOptions<Identity> extends RpcServerOptions {
  /**
   * Returns the target for a caller, an instance of a class that extends `RpcTarget`. It is called for each connection,
   * and again after hibernation.
   */
  target: (caller: Caller<Identity>) => unknown;
  /** Called when a connection has been opened; not for batches over HTTP. */
  onConnect?: ((caller: Caller<Identity>) => void) | undefined;
  /** Called when a connection has ended, including one from before the object hibernated. */
  onDisconnect?: ((caller: Caller<Identity>) => void) | undefined;
}

/**
 * Counts of an object's current activity, and totals since it woke. The totals start again at 0 after the object has
 * left memory.
 */
export interface RpcMetrics {
  /** Number of open connections: sockets, including hibernating ones, and bindings. */
  readonly connections: number;
  /** Number of these connections that are not in memory: sockets on which nothing has arrived since the object woke. */
  readonly hibernating: number;
  /** Number of asynchronous calls that are running. */
  readonly callsInFlight: number;
  /** Number of calls answered with a value. Calls of a refused frame count neither here nor as failed. */
  readonly callsSucceeded: number;
  /** Number of calls answered with an error. */
  readonly callsFailed: number;
  /** Number of received frames. Calls that arrive with an upgrade are not counted. */
  readonly framesReceived: number;
  /** Number of sent frames. */
  readonly framesSent: number;
  /**
   * The length of the received frames, without the transport's own framing. It is in UTF-16 units for text, and in
   * bytes for a frame that holds any.
   */
  readonly bytesReceived: number;
  /** The length of the sent frames, in the same units. */
  readonly bytesSent: number;
  /**
   * Number of refusals, by the name of the limit, such as `maxCallsInFlight` or `rateLimits.connection`, or else by the
   * code, such as `DENIED`. A refused frame or connection counts once.
   */
  readonly refused: Readonly<Record<string, number>>;
}

/** State for serving an object. */
interface Serving {
  readonly options: CreateRpcServerOptions<unknown>;
  readonly hibernates: boolean;
  readonly context: ServerContext;
  readonly connections: Connections;
  readonly renewed: (caller: Caller) => RpcTarget;
}

/** Serves RPC for a Durable Object class. The class calls these methods from its own methods of the same names. */
export class RpcServer implements NativeServer {
  readonly #ctx: DurableObjectState;
  readonly #asked: () => CreateRpcServerOptions<unknown>;
  // All of this is made on first use, so that a message that wakes the object costs no more than it needs.
  /**
   * Undefined until there is something to serve. Methods that run only while serving, from `#accept` on, use it
   * directly.
   */
  #made: Serving | undefined;
  #results: StoredResults | undefined;
  #topics: Topics | undefined;

  /** `options` is called once, when there is something to serve. @internal */
  constructor(ctx: DurableObjectState, options: () => CreateRpcServerOptions<unknown>) {
    this.#ctx = ctx;
    this.#asked = options;
  }

  /** Answers a WebSocket upgrade or a POSTed batch of calls; returns undefined for requests of other protocols. */
  fetch(request: Request): Response | Promise<Response> | undefined {
    const { options, context } = this.#serving;
    return answerRequest(request, {
      context,
      options,
      callerOf,
      target: (caller) => this.#target(caller),
      full: (caller) => this.#full(caller),
      began: (caller, close) => this.#began({ caller, close }),
      open: (channel, caller) => this.#session(channel, { caller }),
      accept: (offer, caller) => this.#accept(offer, caller),
    });
  }

  /**
   * Handles a message of a hibernating socket; returns false if the socket is not this library's. Return the result
   * from the object's own handler: while calls run it is a promise, which keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    const connection = this.#serving.connections.ofSocket(socket);
    if (connection === undefined) return false;
    let session: ServerSession | undefined;
    try {
      session = connection.session ?? this.#sessionOf(connection);
    } catch (error) {
      // Not closed as refused: frames before this one may have run.
      connection.close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
    }
    if (session === undefined) return true;
    receiveMessage(socket, session, message);
    return session.awake ?? true;
  }

  /** Handles the end of a socket and returns true; returns false if the socket is not this library's. */
  webSocketClose(socket: WebSocket, code: number): boolean {
    return this.#serving.connections.close(socket, code);
  }

  /** Handles the failure of a socket and returns true; returns false if the socket is not this library's. */
  webSocketError(socket: WebSocket): boolean {
    return this.#serving.connections.end(socket);
  }

  /**
   * Serves a Worker that connects through the platform's own RPC, with `connectBinding`. A class that supports this has
   * a public method `openRpcConnection` that calls this one; only holders of the binding can reach it.
   */
  openRpcConnection(
    ...[receive, identity, frame, expiresAt]: Parameters<NativeServer['openRpcConnection']>
  ): ReturnType<NativeServer['openRpcConnection']> {
    const caller = knownCaller(identity, expiresAt);
    return openNativeConnection(receive, frame, (channel) => {
      const full = this.#full(caller);
      if (full !== undefined) throw full;
      const session = this.#session(channel, { caller });
      const events = new NativeEvents(session, channel);
      session.events = events;
      session.ended = this.#began(events);
      return session;
    });
  }

  /** Returns the stub for a token of `storeReference`; undefined if its client is no longer connected. */
  findReference(token: string): unknown {
    const stored = readReferenceToken(token);
    const session = this.#sessionNamed(stored.connectionId);
    return session && findStored(session, stored);
  }

  /** Releases a token of `storeReference`, so that the client need not keep its function or target any longer. */
  releaseReference(token: string): void {
    const { connectionId, id, count } = readReferenceToken(token);
    this.#sessionNamed(connectionId)?.outgoing.release(id, count, false);
  }

  /** Returns a topic of the object by its name, the same one each time. The options of the first call apply. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#topicsOf().topic(name, options);
  }

  /** Returns the open connections. */
  connections(): Iterable<ConnectedCaller> {
    return this.#serving.connections.open();
  }

  /** Counts of the current activity, and of refusals since the object woke. */
  get metrics(): RpcMetrics {
    const { context, connections: open } = this.#serving;
    const { load, traffic, refusals } = context;
    const { size: connections, awake } = open;
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

  get #serving(): Serving {
    this.#made ??= this.#make();
    return this.#made;
  }

  #make(): Serving {
    const options = this.#asked();
    const hibernates = options.hibernate ?? true;
    const context = createServerContext(options, () => this.#topicsOf());
    const connections = new Connections(this.#ctx, context, hibernates, (connection) => {
      this.#topics?.ended(connection);
      this.#tell('onDisconnect', connection.caller);
    });
    return { options, hibernates, context, connections, renewed: (caller) => this.#target(caller, false) };
  }

  /** Made on first use, so that an object without topics has none. */
  #topicsOf(): Topics {
    this.#topics ??= new Topics(
      this.#ctx.storage,
      () => this.#serving.context,
      () => this.#serving.connections.subscribed(),
    );
    return this.#topics;
  }

  #resultsOf(): StoredResults {
    this.#results ??= new StoredResults(this.#ctx.storage, this.#serving.options.storedResults);
    return this.#results;
  }

  /**
   * Opens a connection over a WebSocket.
   * @throws {RpcError} if the connection is refused
   */
  #accept({ client: offered, early }: SpokenOffer, caller: Caller): Response {
    const client = offered && { ...offered, since: Date.now() };
    const isOutdated =
      client !== undefined && (this.#resultsOf().isOutdated(client) || !this.#made!.connections.supersede(client));
    if (isOutdated) throw outdatedError();
    const full = this.#full(caller);
    if (full !== undefined) throw full;
    const [theirs, ours] = Object.values(new WebSocketPair());
    const connection = new ClientSocket(ours, this.#made!.context, caller, client);
    const session = this.#open(connection);
    try {
      this.#made!.connections.accept(connection);
    } catch (error) {
      throw this.#refused(error as RpcError, caller);
    }
    this.#tell('onConnect', caller);
    const protocol = takeEarlyCalls(early, session);
    if (session.idle !== undefined) this.#ctx.waitUntil(session.idle);
    return switchProtocols(theirs, protocol);
  }

  /** Makes the session of a socket. */
  #open(connection: ClientSocket): ServerSession {
    const { caller, client } = connection;
    const results = client && (() => this.#resultsOf().of(client));
    const memory = this.#made!.hibernates ? connection : undefined;
    const session = this.#session(connection, { caller, memory, results });
    session.events = connection;
    connection.session = session;
    return session;
  }

  #sessionNamed(connectionId: string): ServerSession | undefined {
    const connection = this.#serving.connections.byConnectionId(connectionId);
    return connection && this.#sessionOf(connection);
  }

  /**
   * Returns the session of a socket, made again if the object has left memory. Returns undefined if this side has ended
   * the connection.
   */
  #sessionOf(connection: ClientSocket): ServerSession | undefined {
    if (connection.session !== undefined) return connection.session;
    if (connection.isOver) return undefined;
    const session = this.#open(connection);
    this.#made!.connections.remember(connection);
    return session;
  }

  #session(channel: Transport, client: ServedClient): ServerSession {
    const { context, renewed } = this.#made!;
    return new ServerSession(this.#target(client.caller!), channel, context, { ...client, renewed });
  }

  /** Counts a connection that is not a socket of this library. Call the returned function when it has ended. */
  #began(connection: OtherConnection): () => void {
    const ended = this.#made!.connections.add(connection);
    this.#tell('onConnect', connection.caller);
    return ended;
  }

  /**
   * Makes the target for a caller. If the target is for a new connection, a failure counts as a refusal.
   * @throws {RpcError} with a message for the caller if there is no target
   */
  #target(caller: Caller, isNew = true): RpcTarget {
    try {
      const target = this.#made!.options.target(caller);
      // Making the context has enabled the options of methods already.
      requireTarget(target, 'target() must return');
      return target;
    } catch (error) {
      throw isNew ? this.#refused(errorOfTarget(error), caller) : errorOfTarget(error);
    }
  }

  /** Returns the error if there may be no further connection; undefined if there may. */
  #full(caller: Caller): RpcError | undefined {
    const { connections, context } = this.#serving;
    const { maxConnections } = context.settings.limits;
    if (!connections.reaches(maxConnections)) return undefined;
    const message = `maxConnections of ${maxConnections} exceeded: connect again later`;
    return this.#refused(new RpcError('OVERLOADED', message), caller);
  }

  /** Counts a refused connection, and returns the error. */
  #refused(error: RpcError, caller: Caller): RpcError {
    this.#made!.context.refusals.add(error, 'a connection', caller);
    return error;
  }

  #tell(hook: 'onConnect' | 'onDisconnect', caller: Caller): void {
    try {
      this.#made!.options[hook]?.(caller);
    } catch (error) {
      this.#made!.context.onError(error, hook, undefined);
    }
  }
}

/** Makes the server of one Durable Object, for a class that cannot extend `RpcObject`. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  return new RpcServer(ctx, () => options as CreateRpcServerOptions<unknown>);
}
