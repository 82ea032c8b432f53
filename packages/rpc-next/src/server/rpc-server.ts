import { CLOSE_ENDED, CLOSE_INTERNAL, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../closes.ts';
import { RpcError } from '../errors.ts';
import type { Caller } from '../peer/context.ts';
import { requireTarget } from '../peer/members.ts';
import type { Settings } from '../peer/options.ts';
import { PING, PONG } from '../protocol.ts';
import type { OpenedConnection } from '../transport/native.ts';
import type { Transport } from '../transport/transport.ts';
import { callerOf, type TaggedCaller } from './callers.ts';
import { answerBatch } from './http-batch.ts';
import { type Opening, openNative } from './native.ts';
import type { OfferedClient } from './offer.ts';
import { errorOfTarget, isBatch } from './refusal.ts';
import { Session } from './session.ts';
import { type ServerOptions, serverSettings } from './settings.ts';
import { ClientSocket } from './sockets.ts';
import { StoredResults, type StoredResultsOptions } from './stored-results.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { type Subscriber, Topics } from './topics/topics.ts';
import { answerUpgrade, greetingOf } from './upgrade.ts';

/** Options for an object that serves targets. */
export interface RpcServerOptions extends ServerOptions {
  /**
   * Accepts sockets with the Hibernation API, so that the object can leave memory while they stay open.
   * @default true
   */
  hibernate?: boolean;
  /** Limits on the age, number and size of the stored results of exactly-once methods. */
  storedResults?: StoredResultsOptions;
}

/** Options of `createRpcServer`, including the target. */
export interface CreateRpcServerOptions<Identity = unknown> extends RpcServerOptions {
  /** Returns the target for a caller. It is called for each connection, and again after hibernation. */
  target: (caller: Caller<Identity>) => unknown;
  /** Called when a connection has been opened; not for batches over HTTP. */
  onConnect?: ((caller: Caller<Identity>) => void) | undefined;
  /** Called when a connection has ended, including one from before the object hibernated. */
  onDisconnect?: ((caller: Caller<Identity>) => void) | undefined;
}

/** The tag by which an object finds this library's sockets among its own, and those of a client. */
const RPC_TAG = 'lumenize.rpc';
const tagOf = ({ name }: OfferedClient) => `lumenize.client:${name}`;

/** The code that a socket reports if it was closed without one. */
const NO_CODE = 1005;

/** Serves RPC for a Durable Object class. The class calls these methods from its own methods of the same names. */
export class RpcServer {
  private readonly ctx: DurableObjectState;
  private readonly asked: () => CreateRpcServerOptions;
  private made: CreateRpcServerOptions | undefined;
  private settings: Settings | undefined;
  /** Sockets that have a session in this life of the object. */
  private readonly sockets = new Map<WebSocket, ClientSocket>();
  private results: StoredResults | undefined;
  private readonly startedAt = Date.now();
  private live: Topics | undefined;

  /** `options` is called once, when there is something to serve. @internal */
  constructor(ctx: DurableObjectState, options: () => CreateRpcServerOptions) {
    this.ctx = ctx;
    this.asked = options;
  }

  private get options(): CreateRpcServerOptions {
    if (this.made === undefined) {
      this.made = this.asked();
      this.settings = serverSettings(this.made, (peer, id) => this.stored.acknowledge((peer as Session).client, id));
    }
    return this.made;
  }

  /** The settings that the options make. */
  private get asSet(): Settings {
    return this.options && this.settings!;
  }

  /** The stored results of exactly-once calls. */
  get stored(): StoredResults {
    this.results ??= new StoredResults(this.ctx.storage, this.startedAt, this.options.storedResults);
    return this.results;
  }

  /** Returns a topic of the object by its name, the same one each time. The options of the first call apply. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event> {
    return this.topics.topic(name, options);
  }

  private get topics(): Topics {
    this.live ??= new Topics(this.ctx.storage, {
      subscribed: () => this.tagged(RPC_TAG).filter(({ topics, isOver }) => topics.size > 0 && !isOver),
      subscriberOf: ({ transport }) => ('sendEvents' in transport ? (transport as Transport & Subscriber) : undefined),
      errorStacks: this.options.errorStacks ?? false,
      onError: (error, method) => this.settings!.onError?.(error, method, undefined),
    });
    return this.live;
  }

  /** Answers a WebSocket upgrade or a batch of calls; returns undefined for requests of other protocols. */
  fetch(request: Request): Response | Promise<Response> | undefined {
    if (!isBatch(request)) {
      return answerUpgrade(request, callerOf, (socket, caller, client) => this.accept(socket, caller, client));
    }
    const caller = callerOf(request);
    const open = (transport: Transport, settings: Settings) => this.session(transport, settings, caller);
    return answerBatch(request, { settings: this.asSet, caller, open });
  }

  /** Opens a connection over the platform's own RPC. @internal */
  openRpcConnection(...opening: Opening): OpenedConnection {
    return openNative(opening, (transport, caller) => {
      const session = this.session(transport, this.asSet, caller);
      this.tell('onConnect', caller);
      const ended = () => {
        this.live?.ended(transport);
        this.tell('onDisconnect', caller);
      };
      return { session, ended };
    });
  }

  private accept(socket: WebSocket, caller: TaggedCaller, client: OfferedClient | undefined): void {
    const { hibernate = true } = this.options;
    if (client !== undefined && client.attempt > 1) this.supersede(client);
    const connection = new ClientSocket(socket, caller, client);
    connection.session = this.open(connection);
    if (hibernate) {
      // The runtime answers heartbeats without waking the object, unless its class uses the only auto-response otherwise.
      if (this.ctx.getWebSocketAutoResponse() === null) {
        this.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
      }
      connection.attach();
      this.ctx.acceptWebSocket(socket, client === undefined ? [RPC_TAG] : [RPC_TAG, tagOf(client)]);
    } else {
      socket.binaryType = 'arraybuffer';
      socket.accept();
      socket.addEventListener('message', ({ data }) => this.webSocketMessage(socket, data as string | ArrayBuffer));
      socket.addEventListener('close', () => this.end(socket));
      socket.addEventListener('error', () => this.end(socket));
    }
    this.sockets.set(socket, connection);
    const greeting = greetingOf(caller);
    if (greeting !== undefined) connection.send(greeting);
    this.tell('onConnect', caller);
  }

  /**
   * Closes older connections of a client that has reconnected. Frames still under way on them must not run after the
   * client has sent its calls again.
   * @throws {RpcError} if the client has connected again since it sent this upgrade
   */
  private supersede(client: OfferedClient): void {
    this.stored.acknowledge(client, client.settled);
    const before = this.tagged(tagOf(client)).filter((connection) => connection.client?.name === client.name);
    if (before.some((connection) => connection.client!.attempt >= client.attempt)) {
      throw new RpcError('NOT_EXECUTED', 'the client has connected since this upgrade was sent');
    }
    for (const { socket } of before) {
      this.end(socket);
      socket.close(CLOSE_SUPERSEDED, 'the client has connected again');
    }
  }

  private tagged(tag: string): ClientSocket[] {
    const { hibernate = true } = this.options;
    const sockets = hibernate ? this.ctx.getWebSockets(tag) : [...this.sockets.keys()];
    const found = sockets.map((socket) => this.find(socket)).filter((each) => each !== undefined);
    // One object for each socket, since subscribers are told apart by it.
    for (const each of found) this.sockets.set(each.socket, each);
    return found;
  }

  private find(socket: WebSocket): ClientSocket | undefined {
    return this.sockets.get(socket) ?? ClientSocket.read(socket);
  }

  /** Makes the session of a socket. */
  private open(connection: ClientSocket): Session {
    return this.session(connection, this.asSet, connection.caller, connection.client);
  }

  private session(transport: Transport, settings: Settings, caller: Caller, client?: OfferedClient): Session {
    return new Session(settings, targetFor(this.options, caller), transport, {
      topics: () => this.topics,
      publishing: () => this.live,
      caller,
      client,
      stored: () => this.stored,
      keepAwake: (idle) => this.ctx.waitUntil(idle),
    });
  }

  /**
   * Handles a message of a hibernating socket; returns false if the socket is not this library's. Return the result
   * from the object's own handler: while calls run it is a promise, which keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    const connection = this.find(socket);
    if (connection === undefined) return false;
    if (connection.session === undefined) {
      if (connection.isOver) return true;
      try {
        connection.session = this.open(connection);
        connection.session.restart();
      } catch (error) {
        connection.close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
        return true;
      }
      this.sockets.set(socket, connection);
    }
    if (message === PING) connection.send(PONG);
    else connection.session.receive(typeof message === 'string' ? message : new Uint8Array(message));
    return connection.session.idle ?? true;
  }

  /** Handles the end of a socket and returns true; returns false if the socket is not this library's. */
  webSocketClose(socket: WebSocket, code: number): boolean {
    if (!this.end(socket)) return false;
    try {
      // The object has to answer the close of a hibernating socket; the runtime does that for other sockets only.
      socket.close(code === NO_CODE || code === 1006 ? CLOSE_NORMAL : code);
    } catch {
      // The socket is closed already.
    }
    return true;
  }

  /** Handles the failure of a socket and returns true; returns false if the socket is not this library's. */
  webSocketError(socket: WebSocket): boolean {
    return this.end(socket);
  }

  private end(socket: WebSocket): boolean {
    const connection = this.find(socket);
    if (connection === undefined) return false;
    this.sockets.delete(socket);
    connection.session?.closed();
    // An error may be reported before the close, and the object may leave memory in between.
    if (connection.isTold) return true;
    this.live?.ended(connection);
    connection.markOver(true);
    this.tell('onDisconnect', connection.caller);
    return true;
  }

  /** Tells the application of a connection. Its errors are not the client's. */
  private tell(hook: 'onConnect' | 'onDisconnect', caller: Caller): void {
    try {
      this.options[hook]?.(caller);
    } catch (error) {
      const { onError } = this.asSet;
      if (onError === undefined) console.error(`${hook}() failed:`, error);
      else onError(error, hook, undefined);
    }
  }

  /** Ends all connections of a caller's choice; their clients connect again. */
  close(connection: ClientSocket): void {
    this.end(connection.socket);
    connection.socket.close(
      CLOSE_ENDED,
      closeReason(new RpcError('NOT_EXECUTED', 'the server has ended the connection')),
    );
  }
}

/** Returns the target for a caller. @throws {TypeError} if there is none */
export function targetFor({ target }: Pick<CreateRpcServerOptions, 'target'>, caller: Caller): object {
  const found = target(caller);
  requireTarget(found, 'target() must return');
  return found;
}
