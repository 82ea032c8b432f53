import type { RpcTarget } from '#platform';
import type { RpcError } from '../errors/rpc-error.ts';
import { exceeded } from '../protocol/errors.ts';
import type { Offer } from '../protocol/version.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import { requireTarget } from '../session/incoming/declarations.ts';
import { Restoring } from '../session/references/restoring.ts';
import type { Transport } from '../transport/transport.ts';
import { callerOf } from './access/caller.ts';
import { ClientSocket } from './connections/attachment.ts';
import { Connections } from './connections/connections.ts';
import { takeEarlyCalls } from './connections/early-calls.ts';
import { StoredResults } from './delivery/stored-results.ts';
import type { RequestHost } from './http-batch.ts';
import { NativeEvents } from './native-connection.ts';
import type { CreateRpcServerOptions, OtherConnection } from './options.ts';
import { errorOfTarget, outdatedError, switchProtocols } from './refusal.ts';
import { attempt } from './report.ts';
import { createServerContext, type ServerContext } from './server-context.ts';
import { type ServedClient, ServerSession } from './session.ts';
import type { Topics } from './topics/topics.ts';

/** Serves an object to its callers, over whatever they connect by. */
export class ServedObject implements RequestHost {
  readonly options: CreateRpcServerOptions<unknown>;
  readonly context: ServerContext;
  readonly connections: Connections;
  readonly callerOf: typeof callerOf = callerOf;
  readonly #ctx: DurableObjectState;
  readonly #renewed = (caller: Caller) => this.target(caller, false);
  readonly #keepAwake = (idle: Promise<void>) => this.#ctx.waitUntil(idle);
  #results: StoredResults | undefined;

  constructor(ctx: DurableObjectState, options: CreateRpcServerOptions<unknown>, topics: () => Topics) {
    this.options = options;
    this.context = createServerContext(options, topics);
    this.#ctx = ctx;
    this.connections = new Connections(ctx, this.context, options.hibernate ?? true, (connection) => {
      if (connection.topics !== undefined) topics().ended(connection);
      this.#tell('onDisconnect', connection.caller);
    });
  }

  /** Stored results of exactly-once calls, made on first use. */
  get results(): StoredResults {
    const { maxMessageBytes } = this.context.settings.limits;
    this.#results ??= new StoredResults(this.#ctx.storage, this.options.storedResults, maxMessageBytes);
    return this.#results;
  }

  accept({ client: offered, early }: Offer, caller: Caller): Response {
    const client = offered && { ...offered, since: Date.now() };
    const isOutdated = client !== undefined && (this.results.isOutdated(client) || !this.connections.supersede(client));
    if (isOutdated) throw outdatedError();
    this.requireRoom(caller);
    const [theirs, ours] = Object.values(new WebSocketPair());
    const connection = new ClientSocket(ours, this.context, caller, client);
    const session = this.#open(connection);
    try {
      this.connections.accept(connection);
    } catch (error) {
      throw this.#refused(error as RpcError, caller);
    }
    this.#tell('onConnect', caller);
    // At once, for a client that makes no call.
    session.tellLifetime();
    const protocol = takeEarlyCalls(early, session);
    if (session.idle !== undefined) this.#ctx.waitUntil(session.idle);
    return switchProtocols(theirs, protocol);
  }

  open(channel: Transport, caller: Caller): ServerSession {
    return this.#session(channel, { caller, results: () => this.results.of() });
  }

  /**
   * Opens a connection over the platform's own RPC.
   * @throws {RpcError} if the connection is refused
   */
  openNative(channel: Transport, caller: Caller): ServerSession {
    this.requireRoom(caller);
    const session = this.open(channel, caller);
    const events = new NativeEvents(session, channel);
    session.events = events;
    session.ended = this.began(events);
    return session;
  }

  sessionNamed(connectionId: string): ServerSession | undefined {
    const connection = this.connections.byConnectionId(connectionId);
    return connection && this.sessionOf(connection);
  }

  /**
   * Returns the session of a socket, made again if the object has left memory. Returns undefined if this side has ended
   * the connection.
   */
  sessionOf(connection: ClientSocket): ServerSession | undefined {
    if (connection.session !== undefined) return connection.session;
    if (connection.isOver) return undefined;
    const session = this.#open(connection);
    this.connections.remember(connection);
    return session;
  }

  target(caller: Caller, isNew = true): RpcTarget {
    try {
      const target = this.options.target(caller);
      // Making the context has enabled the options of methods already.
      requireTarget(target, 'target() must return');
      return target;
    } catch (error) {
      throw isNew ? this.#refused(errorOfTarget(error), caller) : errorOfTarget(error);
    }
  }

  requireRoom(caller: Caller): void {
    const { limits } = this.context.settings;
    if (!this.connections.reaches(limits.maxConnections)) return;
    throw this.#refused(exceeded('maxConnections', limits, ': connect again later', 'OVERLOADED'), caller);
  }

  began(connection: OtherConnection): () => void {
    const ended = this.connections.add(connection);
    this.#tell('onConnect', connection.caller);
    return ended;
  }

  /** Makes the session of a socket. */
  #open(connection: ClientSocket): ServerSession {
    const { caller, client } = connection;
    const session = this.#session(connection, {
      caller,
      results: () => this.results.of(client),
      restoring: this.connections.hibernates ? (self) => new Restoring(self, connection) : undefined,
      keepAwake: this.#keepAwake,
    });
    session.events = connection;
    connection.session = session;
    return session;
  }

  #session(channel: Transport, client: ServedClient): ServerSession {
    return new ServerSession(this.target(client.caller!), channel, this.context, { ...client, renewed: this.#renewed });
  }

  /** Counts a refused connection, and returns the error. */
  #refused(error: RpcError, caller: Caller): RpcError {
    this.context.refusals.add(error, 'a connection', caller);
    return error;
  }

  #tell(hook: 'onConnect' | 'onDisconnect', caller: Caller): void {
    attempt(
      () => this.options[hook]?.(caller),
      (error) => this.context.onError(error, hook, undefined),
    );
  }
}
