import type { RpcTarget } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_INTERNAL, closeReason } from '../protocol/errors.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { requireTarget } from '../session/incoming/declarations.ts';
import type { NativeServer } from '../transport/binding.ts';
import type { Transport } from '../transport/transport.ts';
import { callerOf, nativeCaller } from './access/caller.ts';
import { ClientSocket, receiveMessage } from './connections/attachment.ts';
import { type ConnectedCaller, Connections } from './connections/connections.ts';
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

/** Options of `createRpcServer`, with the targets. */
export interface CreateRpcServerOptions<Identity> extends RpcServerOptions {
  /** Returns what a caller may talk to, an instance of a class that extends `RpcTarget`; called again after hibernation. */
  target: (caller: Caller<Identity>) => unknown;
  /** Called for each connection that has been opened; not for batches over HTTP. */
  onConnect?: ((caller: Caller<Identity>) => void) | undefined;
  /** Called for each connection that has ended, also one from before the object hibernated. */
  onDisconnect?: ((caller: Caller<Identity>) => void) | undefined;
}

/** Counts of what is going on in an object, and since it woke: they begin at 0 when it has left memory. */
export interface RpcMetrics {
  /** Connections that are open: sockets, also those that are hibernating, and bindings. */
  readonly connections: number;
  /** Of these, sockets that nothing has arrived on since the object woke, so that nothing of them is in memory. */
  readonly hibernating: number;
  /** Asynchronous calls that are running. */
  readonly callsInFlight: number;
  /** Calls that were answered with a value. Those whose frame was refused are not among them. */
  readonly callsSucceeded: number;
  /** Calls that were answered with an error. */
  readonly callsFailed: number;
  /** Frames that were received; calls that came with an upgrade are in none. */
  readonly framesReceived: number;
  /** Frames that were sent. */
  readonly framesSent: number;
  /** The length of the frames that were received, without the transport's own framing: UTF-16 units of text, or bytes where one holds any. */
  readonly bytesReceived: number;
  /** The length of the frames that were sent, likewise. */
  readonly bytesSent: number;
  /**
   * Number of refusals by the name of the limit, such as `maxCallsInFlight` or `rateLimits.connection`, or else by the
   * code, such as `DENIED`. A frame or connection that was refused counts once.
   */
  readonly refused: Readonly<Record<string, number>>;
}

/** State that an object is served with. */
interface Serving {
  readonly options: CreateRpcServerOptions<unknown>;
  readonly hibernates: boolean;
  readonly context: ServerContext;
  readonly connections: Connections;
}

/** Serves RPC for a class, which calls these methods from its own of the same names. */
export class RpcServer implements NativeServer {
  readonly #ctx: DurableObjectState;
  readonly #asked: () => CreateRpcServerOptions<unknown>;
  // All of it is made on first use: a message that wakes the object is to find no more than it needs.
  /** Undefined until something is to be served; the methods behind `#accept` are called by what is. */
  #made: Serving | undefined;
  #results: StoredResults | undefined;
  #topics: Topics | undefined;

  /** `options` is asked once, when something is to be served. @internal */
  constructor(ctx: DurableObjectState, options: () => CreateRpcServerOptions<unknown>) {
    this.#ctx = ctx;
    this.#asked = options;
  }

  /** Answers an upgrade to a WebSocket, or a POST of calls; undefined where the request is not for this protocol. */
  fetch(request: Request): Response | Promise<Response> | undefined {
    const { options, context, connections } = this.#serving;
    return answerRequest(request, {
      context,
      options,
      callerOf,
      target: (caller) => this.#target(caller),
      full: (caller) => this.#full(caller),
      began: (caller, close) => {
        const ended = connections.addOther({ caller, topics: [], close });
        this.#tell('onConnect', caller);
        return ended;
      },
      open: (channel, caller) => this.#session(channel, { caller }),
      accept: (offer, caller) => this.#accept(offer, caller),
    });
  }

  /**
   * Handles a message of a hibernating socket; false where the socket is not this library's. What it returns is to be
   * returned from the object's own handler: a promise, while calls run, keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    const connection = this.#serving.connections.find(socket);
    if (connection === undefined) return false;
    let session: ServerSession | undefined;
    try {
      session = connection.session ?? this.#sessionOf(connection);
    } catch (error) {
      // Not as a refusal: frames before this one may have run.
      connection.close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
    }
    if (session === undefined) return true;
    receiveMessage(socket, session, message);
    return session.awake ?? true;
  }

  /** Handles the end of a socket and returns true; false where it is not this library's. */
  webSocketClose(socket: WebSocket, code: number): boolean {
    return this.#serving.connections.close(socket, code);
  }

  /** Handles the failure of a socket and returns true; false where it is not this library's. */
  webSocketError(socket: WebSocket): boolean {
    return this.#serving.connections.end(socket);
  }

  /**
   * Serves a Worker that connects by the platform's own RPC. A class that wants that has a public method
   * `openRpcConnection` which calls this: for `connectBinding`, and only reachable by those who have the binding.
   */
  openRpcConnection(
    ...[receive, identity, frame, expiresAt]: Parameters<NativeServer['openRpcConnection']>
  ): ReturnType<NativeServer['openRpcConnection']> {
    const caller = nativeCaller(identity, expiresAt);
    const { connections } = this.#serving;
    return openNativeConnection(receive, frame, (channel) => {
      const full = this.#full(caller);
      if (full !== undefined) throw full;
      const session = this.#session(channel, { caller });
      const events = new NativeEvents(session, channel);
      session.events = events;
      connections.add(session, events);
      this.#tell('onConnect', caller);
      return session;
    });
  }

  /** Returns the stub that a token of `storeReference` stands for; undefined where its client is no longer connected. */
  findReference(token: string): unknown {
    const stored = readReferenceToken(token);
    const session = this.#sessionNamed(stored.connectionId);
    return session && findStored(session, stored);
  }

  /** Lets the client forget what a token stands for. */
  releaseReference(token: string): void {
    const { connectionId, id, count } = readReferenceToken(token);
    this.#sessionNamed(connectionId)?.outgoing.release(id, count, false);
  }

  /** Returns a topic of the object by its name, the same one each time. The options of the first call count. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.#topicsOf().topic(name, options);
  }

  /** Goes through the open connections. */
  connections(): Iterable<ConnectedCaller> {
    return this.#serving.connections.open();
  }

  /** Counts of what is going on, and of what has been refused since the object woke. */
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
    const context = createServerContext(options, (channel) => this.#topicsOf().subscriber(channel));
    const connections = new Connections(this.#ctx, context, hibernates, (channel, caller) => {
      channel?.subscriber?.end();
      this.#tell('onDisconnect', caller);
    });
    return { options, hibernates, context, connections };
  }

  /** An object without topics has none. */
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

  /** @throws {RpcError} where there is no connection for the caller */
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
    const session = this.#session(connection, { caller, memory, results }, (known) => connection.renew(known));
    session.events = connection;
    connection.session = session;
    return session;
  }

  #sessionNamed(connectionId: string): ServerSession | undefined {
    const connection = this.#serving.connections.named(connectionId);
    return connection && this.#sessionOf(connection);
  }

  /** Returns the session of a socket, made again where the object has forgotten it; undefined where this side has ended the connection. */
  #sessionOf(connection: ClientSocket): ServerSession | undefined {
    if (connection.session !== undefined) return connection.session;
    if (connection.isOver) return undefined;
    const session = this.#open(connection);
    this.#made!.connections.keep(connection);
    return session;
  }

  /** `note` notes a caller who has shown a new token. */
  #session(channel: Transport, client: ServedClient, note?: (caller: Caller) => void): ServerSession {
    const { context, options } = this.#made!;
    const target = this.#target(client.caller!);
    if (options.reauthenticate === undefined) return new ServerSession(target, channel, context, client);
    const renewed = (known: Caller) => {
      const target = this.#target(known, false);
      note?.(known);
      return target;
    };
    return new ServerSession(target, channel, context, { ...client, renewed });
  }

  /** Makes what a caller talks to. @throws {RpcError} which says what the caller may know, and is counted where there will be no connection */
  #target(caller: Caller, isNew = true): RpcTarget {
    try {
      const target = this.#made!.options.target(caller);
      // The context, which is there, has had the options of methods looked at.
      requireTarget(target, 'target() must return');
      return target;
    } catch (error) {
      throw isNew ? this.#refused(errorOfTarget(error), caller) : errorOfTarget(error);
    }
  }

  /** Returns why there may be no further connection; undefined where there may. */
  #full(caller: Caller): RpcError | undefined {
    const { maxConnections } = this.#made!.context.settings.limits;
    if (!this.#made!.connections.reaches(maxConnections)) return undefined;
    const message = `maxConnections of ${maxConnections} exceeded: connect again later`;
    return this.#refused(new RpcError('OVERLOADED', message), caller);
  }

  /** Notes why somebody has no connection, and returns it. */
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

/** Makes the server of one Durable Object. `RpcObject` is a base class over it; use it where a class extends something else. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  return new RpcServer(ctx, () => options as CreateRpcServerOptions<unknown>);
}
