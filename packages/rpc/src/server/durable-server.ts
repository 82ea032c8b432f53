import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_INTERNAL, closeReason } from '../protocol/errors.ts';
import { checkOptions } from '../session/check-options.ts';
import type { NativeServer } from '../transport/binding.ts';
import { type ClientSocket, receiveMessage } from './connections/attachment.ts';
import type { ConnectedCaller } from './connections/connections.ts';
import { findStored, readReferenceToken } from './connections/stored-references.ts';
import { type Opened, type Opening, openNativeConnection } from './native-connection.ts';
import type { CreateRpcServerOptions } from './options.ts';
import { errorOfTarget, refuse } from './refusal.ts';
import { answerRequest } from './serve-rpc.ts';
import { ServedObject } from './served-object.ts';
import type { ServerSession } from './session.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';
import { Topics } from './topics/topics.ts';

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

/** Serves RPC for a Durable Object class. The class calls these methods from its own methods of the same names. */
export class RpcServer implements NativeServer {
  readonly #ctx: DurableObjectState;
  readonly #asked: () => CreateRpcServerOptions<unknown>;
  // Made on first use, so that a message that wakes the object costs no more than it needs.
  /** Undefined until there is something to serve. */
  #made: ServedObject | undefined;
  #topics: Topics | undefined;

  /** `options` is called once, when there is something to serve. @internal */
  constructor(ctx: DurableObjectState, options: () => CreateRpcServerOptions<unknown>) {
    this.#ctx = ctx;
    this.#asked = options;
  }

  /**
   * Answers a WebSocket upgrade or a POSTed batch of calls; returns undefined for requests of other protocols.
   * @throws what another protocol, of the option `protocols`, throws
   */
  fetch(request: Request): Response | Promise<Response> | undefined {
    try {
      return answerRequest(request, this.#serving);
    } catch (error) {
      // Of the options. Other errors are those of other protocols.
      if (!(error instanceof RpcError)) throw error;
      return refuse(request, error);
    }
  }

  /**
   * Handles a message of a hibernating socket; returns false if the socket is not this library's. Return the result
   * from the object's own handler: while calls run it is a promise, which keeps the object from hibernating.
   */
  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): boolean | Promise<void> {
    let connection: ClientSocket | undefined;
    let session: ServerSession | undefined;
    try {
      connection = this.#serving.connections.ofSocket(socket);
      if (connection === undefined) return false;
      session = connection.session ?? this.#serving.sessionOf(connection);
    } catch (error) {
      // Not closed as refused: frames before this one may have run.
      (connection ?? socket).close(CLOSE_INTERNAL, closeReason(errorOfTarget(error)));
    }
    if (session === undefined) return true;
    receiveMessage(session, message);
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
  openRpcConnection(...opening: Opening): Opened {
    return openNativeConnection(opening, (channel, caller) => this.#serving.openNative(channel, caller));
  }

  /** Returns the stub for a token of `storeReference`; undefined if its client is no longer connected. */
  findReference(token: string): unknown {
    const stored = readReferenceToken(token);
    const session = this.#serving.sessionNamed(stored.connectionId);
    return session && findStored(session, stored);
  }

  /** Releases a token of `storeReference`, so that the client need not keep its function or target any longer. */
  releaseReference(token: string): void {
    const { connectionId, id, count } = readReferenceToken(token);
    this.#serving.sessionNamed(connectionId)?.outgoing.release(id, count, false);
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

  get #serving(): ServedObject {
    try {
      this.#made ??= new ServedObject(this.#ctx, this.#asked(), () => this.#topicsOf());
      return this.#made;
    } catch (error) {
      throw errorOfTarget(error, 'the options of the server');
    }
  }

  /** Made on first use, so that an object without topics has none. */
  #topicsOf(): Topics {
    this.#topics ??= new Topics(this.#ctx.storage, () => this.#serving);
    return this.#topics;
  }
}

/** Makes the server of one Durable Object, for a class that cannot extend `RpcObject`. */
export function createRpcServer<Identity = unknown>(
  ctx: DurableObjectState,
  options: CreateRpcServerOptions<Identity>,
): RpcServer {
  checkOptions(options);
  return new RpcServer(ctx, () => options as CreateRpcServerOptions<unknown>);
}
