import type { Message } from '../protocol/message.ts';
import type { Caller } from '../session/incoming/call-context.ts';
import type { OpenedConnection, ReceiveNative } from '../transport/binding.ts';
import type { ConnectedCaller } from './connections/connections.ts';
import type { RpcServerOptions } from './options.ts';
import type { Topic, TopicOptions } from './topics/topic.ts';

/** Serves RPC for a class, which calls these methods from its own of the same names. */
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
  /** Handles the failure of a socket and returns true; false where it is not this library's. */
  webSocketError(socket: WebSocket): boolean;
  /** Returns the stub that a token of `storeReference` stands for; undefined where its client is no longer connected. */
  findReference(token: string): unknown;
  /** Lets the client forget what a token stands for. */
  releaseReference(token: string): void;
  /** Returns a topic of the object by its name, the same one each time. The options of the first call count. */
  topic<Event>(name: string, options?: TopicOptions): Topic<Event>;
  /** Goes through the open connections. */
  connections(): Iterable<ConnectedCaller>;
  /** Counts of what is going on, and of what has been refused since the object woke. */
  readonly metrics: RpcMetrics;
  /**
   * Serves a Worker that connects by the platform's own RPC. A class that wants that has a public method
   * `openRpcConnection` which calls this: for `connectBinding`, and only reachable by those who have the binding.
   */
  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Message,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection>;
}

/** How `createRpcServer` gets its targets, beside the options. */
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
  /** Bytes of the frames that were received, without the transport's own framing. */
  readonly bytesReceived: number;
  /** Bytes of the frames that were sent. */
  readonly bytesSent: number;
  /**
   * How often something was refused, by the name of the limit, such as `maxCallsInFlight` or `rateLimits.connection`, or
   * else by the code, such as `DENIED`. A frame or connection that was refused counts once.
   */
  readonly refused: Readonly<Record<string, number>>;
}
