import { CLOSE_ENDED, CLOSE_INTERNAL, closeReason } from '../closes.ts';
import { RpcError } from '../errors.ts';
import { json, PING, PONG } from '../protocol.ts';
import type { OpenedConnection } from '../transport/native.ts';
import type { Transport } from '../transport/transport.ts';
import type { Caller } from '../types/call-context.ts';
import { callerOf, type TaggedCaller } from './callers.ts';
import { type ConnectedCaller, Connections, ENDED, type OtherConnection } from './connections.ts';
import { answerBatch } from './http-batch.ts';
import { metricsOf, type RpcMetrics } from './metrics.ts';
import { type Opening, openNative } from './native.ts';
import type { OfferedClient } from './offer.ts';
import { type CreateRpcServerOptions, targetFor } from './options.ts';
import { type Answer, answerOther, type OpenedOther } from './protocols.ts';
import { errorOf, isBatch, refuse } from './refusal.ts';
import { Session } from './session.ts';
import type { SessionHost } from './session-host.ts';
import { type ServerSettings, serverSettings } from './settings.ts';
import { ClientSocket } from './sockets.ts';
import { StoredResults } from './stored-results.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { type Subscriber, Topics } from './topics/topics.ts';
import { answerUpgrade, greetingOf } from './upgrade.ts';

/** The parts with which an object serves, made when there is something to serve. */
interface Serving {
  readonly options: CreateRpcServerOptions;
  readonly settings: ServerSettings;
  readonly connections: Connections;
}

/** Stands for a connection that gets no events. */
const NO_SUBSCRIBER = { topics: new Map(), note() {}, sendEvents() {} };

/** Serves RPC for a Durable Object class. The class calls these methods from its own methods of the same names. */
export class RpcServer {
  private readonly ctx: DurableObjectState;
  private readonly asked: () => CreateRpcServerOptions;
  private readonly startedAt = Date.now();
  private made: Serving | undefined;
  private results: StoredResults | undefined;
  private live: Topics | undefined;
  private parts: SessionHost | undefined;

  /** `options` is called once, when there is something to serve. @internal */
  constructor(ctx: DurableObjectState, options: () => CreateRpcServerOptions) {
    this.ctx = ctx;
    this.asked = options;
  }

  /** @throws {RpcError} if the options are not valid */
  private get serving(): Serving {
    if (this.made === undefined) {
      try {
        const options = this.asked();
        const settings = serverSettings(options, (peer, id) => this.stored.acknowledge((peer as Session).client, id));
        const connections = new Connections(this.ctx, {
          hibernate: options.hibernate ?? true,
          maxBytesInFlight: settings.limits.maxBytesInFlight,
          receive: (socket, message) => void this.webSocketMessage(socket, message),
          ended: (connection) => this.ended(connection),
        });
        this.made = { options, settings, connections };
      } catch (error) {
        throw errorOf(error, 'the options of the server');
      }
    }
    return this.made;
  }

  /** The stored results of exactly-once calls. */
  private get stored(): StoredResults {
    this.results ??= new StoredResults(this.ctx.storage, this.startedAt, this.serving.options.storedResults);
    return this.results;
  }

  /** Returns a topic of the object by its name, the same one each time. The options of the first call apply. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.topics.topic(name, options);
  }

  private get topics(): Topics {
    if (this.live === undefined) {
      // A class may ask for a topic before it is ready to be asked for its options.
      this.live = new Topics(this.ctx.storage, {
        settings: () => this.serving.settings,
        subscribed: () => this.serving.connections.open().filter(({ topics }) => topics.size > 0),
        subscriberOf: ({ transport }) =>
          'sendEvents' in transport ? (transport as Transport & Subscriber) : undefined,
      });
    }
    return this.live;
  }

  /** Answers a WebSocket upgrade or a batch of calls; returns undefined for requests of other protocols. */
  fetch(request: Request): Response | Promise<Response> | undefined {
    try {
      if (!isBatch(request)) {
        const answer = answerUpgrade(request, callerOf, (...accepted) => this.accept(...accepted));
        if (answer !== undefined) return answer;
        const { options, settings } = this.serving;
        const open = (caller: Caller, other: Answer) => this.openOther(caller, other);
        return answerOther(request, { settings, protocols: options.protocols, callerOf, open });
      }
      const { settings } = this.serving;
      const caller = callerOf(request);
      const open = (transport: Transport, given: ServerSettings) => this.open(transport, caller, undefined, given);
      return answerBatch(request, { settings, caller, open });
    } catch (error) {
      return refuse(request, errorOf(error, 'the server'));
    }
  }

  /** Opens a connection over the platform's own RPC. @internal */
  openRpcConnection(...opening: Opening): OpenedConnection {
    return openNative(opening, (transport, caller) =>
      this.openLasting(caller, transport, () => this.open(transport, caller)),
    );
  }

  private openOther(caller: Caller, other: Answer): OpenedOther {
    const { options, settings } = this.serving;
    const make = () => other.open(settings, targetFor(options, caller), this.hostOf(caller));
    return other.lasts ? this.openLasting(caller, { caller, ...NO_SUBSCRIBER }, make) : { session: make(), ended() {} };
  }

  /** Opens a connection that is no socket of this library, which counts until `ended` is called. */
  private openLasting(caller: Caller, subscriber: Subscriber, open: () => Session): OpenedOther {
    const { others } = this.serving.connections;
    const session = this.admit(caller, open);
    const close = () => session.end(CLOSE_ENDED, new RpcError('NOT_EXECUTED', ENDED));
    const connection: OtherConnection = { caller, subscriber, close };
    others.add(connection);
    this.tell('onConnect', caller);
    const ended = () => {
      if (others.delete(connection)) this.ended(connection);
    };
    return { session, ended };
  }

  private accept(socket: WebSocket, caller: TaggedCaller, client: OfferedClient | undefined): void {
    const { connections, settings } = this.serving;
    if (client !== undefined) {
      // Also a first attempt may arrive behind a later one, or twice.
      connections.supersede(client);
      if (client.attempt > 1) this.stored.acknowledge(client, client.settled);
    }
    const connection = new ClientSocket(socket, caller, client, settings.limits.maxBytesInFlight);
    this.admit(caller, () => {
      this.open(connection, caller, client);
      connections.accept(connection);
    });
    const greeting = greetingOf(caller);
    if (greeting !== undefined) connection.send(greeting);
    this.tell('onConnect', caller);
  }

  /** Accepts a connection, or counts that it is refused. */
  private admit<Result>(caller: Caller, accept: () => Result): Result {
    const { connections, settings } = this.serving;
    try {
      connections.requireRoom(settings.limits);
      return accept();
    } catch (error) {
      settings.shared.refused(error, 'a connection', caller);
      throw error;
    }
  }

  /**
   * Makes the session of a connection.
   * @throws {RpcError} with a message for the caller if there is no target
   */
  private open(
    transport: Transport,
    caller: Caller,
    client?: OfferedClient,
    settings = this.serving.settings,
  ): Session {
    return new Session(settings, targetFor(this.serving.options, caller), transport, this.hostOf(caller, client));
  }

  private hostOf(caller: Caller, client?: OfferedClient): SessionHost {
    // Made once, since each connection that is awake has them.
    this.parts ??= {
      topics: () => this.topics,
      publishing: () => this.live,
      stored: () => this.stored,
      keepAwake: (idle) => this.ctx.waitUntil(idle),
    };
    return { caller, client, ...this.parts };
  }

  private ended(connection: ClientSocket | OtherConnection): void {
    this.live?.ended(subscriberIn(connection));
    this.tell('onDisconnect', connection.caller);
  }

  private tell(hook: 'onConnect' | 'onDisconnect', caller: Caller): void {
    const { options, settings } = this.serving;
    settings.shared.tell(hook, () => options[hook]?.(caller));
  }

  /**
   * Handles a message of a hibernating socket; returns false if the socket is not this library's. Return the result
   * from the object's own handler: while calls run it is a promise, which keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    let connection: ClientSocket | undefined;
    try {
      connection = this.serving.connections.find(socket);
      if (connection === undefined) return false;
      if (connection.session === undefined) {
        if (connection.isOver) return true;
        this.open(connection, connection.caller, connection.client).restart();
      }
    } catch (error) {
      // Not closed as refused: frames before this one may have run.
      (connection ?? socket).close(CLOSE_INTERNAL, closeReason(errorOf(error, 'target()')));
      return true;
    }
    const session = connection.session!;
    if (message === PING) {
      connection.send(PONG);
      return true;
    }
    // One event waits until nothing is going on any more. Each that waits takes memory, and messages can be short.
    const before = session.idle;
    session.receive(typeof message === 'string' ? message : new Uint8Array(message));
    const { idle } = session;
    return idle === before ? true : (idle ?? true);
  }

  /** Handles the end of a socket and returns true; returns false if the socket is not this library's. */
  webSocketClose(socket: WebSocket, code: number): boolean {
    return this.serving.connections.closed(socket, code);
  }

  /** Handles the failure of a socket and returns true; returns false if the socket is not this library's. */
  webSocketError(socket: WebSocket): boolean {
    return this.serving.connections.end(socket);
  }

  /** Yields the open connections, including those from before the object hibernated. */
  *connections(): Generator<ConnectedCaller> {
    const { connections } = this.serving;
    for (const each of [...connections.open(), ...connections.others]) {
      const subscriber = subscriberIn(each);
      const topics = [...subscriber.topics.keys()].map((name) => ({
        name,
        end: () => this.topics.end(subscriber, name),
      }));
      const close = () => (each instanceof ClientSocket ? connections.close(each.socket) : each.close());
      yield { caller: each.caller, topics, close };
    }
  }

  /**
   * Asks all clients to leave and to connect again, such as before a deployment. Each does when its calls have settled;
   * what was made meanwhile is sent over the next connection.
   */
  drain(): void {
    const notice = json({ from: Number.MAX_SAFE_INTEGER });
    for (const connection of this.serving.connections.open()) connection.send(notice);
  }

  /** Counts of the current activity, and of refusals since the object woke. */
  get metrics(): RpcMetrics {
    const { connections, settings } = this.serving;
    return metricsOf(connections, settings.shared);
  }
}

/** Makes the server of one Durable Object, for a class that cannot extend `RpcObject`. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  return new RpcServer(ctx, () => options as CreateRpcServerOptions);
}

function subscriberIn(connection: ClientSocket | OtherConnection): Subscriber {
  return connection instanceof ClientSocket ? connection : connection.subscriber;
}
