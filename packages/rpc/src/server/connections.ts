import { CLOSE_ABNORMAL, CLOSE_ENDED, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../closes.ts';
import { exceeded, RpcError } from '../errors.ts';
import { PING, PONG } from '../protocol.ts';
import type { Caller } from '../types/call-context.ts';
import type { OfferedClient } from './offer.ts';
import { ClientSocket } from './sockets.ts';
import type { Subscriber } from './topics/topics.ts';

/** An open connection. */
export interface ConnectedCaller<Identity = unknown> {
  /** The connected caller. */
  readonly caller: Caller<Identity>;
  /** The topics that the caller is subscribed to. */
  readonly topics: readonly SubscribedTopic[];
  /**
   * The time at which the client's last heartbeat was answered, in milliseconds since 1970; 0 before the first one.
   * Undefined for connections that have no heartbeats, such as those by a binding.
   */
  readonly heardAt: number | undefined;
  /** The values that `keep` has kept with the connection, by their names. */
  readonly kept: ReadonlyMap<string, unknown>;
  /**
   * Keeps a value with the connection, also while the object is not in memory; undefined removes it. All values of a
   * connection share 16 kB with the caller's identity and the names of its topics.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there is no room for it
   */
  keep(name: string, value: unknown): void;
  /** Ends the connection. The client connects again, unless `authenticate` or `target` refuses its caller. */
  close(): void;
}

/** A topic that a caller is subscribed to. */
export interface SubscribedTopic {
  /** The name that was given to `topic()`. */
  readonly name: string;
  /** Ends the caller's subscriptions to the topic: reading them fails with `DENIED`, and they do not go on by themselves. */
  end(): void;
}

/** A connection that is no socket of this library, such as one by a binding. */
export interface OtherConnection {
  readonly caller: Caller;
  readonly subscriber: Subscriber;
  kept: ReadonlyMap<string, unknown>;
  close(): void;
}

/** Told of each connection that has ended: its caller, and what was kept with it. */
export type DisconnectListener<Identity = unknown> = (
  caller: Caller<Identity>,
  kept: ReadonlyMap<string, unknown>,
) => void;

/** The tag by which an object finds this library's sockets among its own, and those of a client. */
const RPC_TAG = 'lumenize.rpc';
const tagOf = ({ name }: OfferedClient) => `lumenize.client:${name}`;

/** The clients whose last attempts are known after their connections have ended. */
const MAX_LEFT = 1000;

/** The message for a client whose connection the application ends. */
export const ENDED = 'the server has ended the connection';

/** The code that a socket reports if it was closed without one. */
const NO_CODE = 1005;

/** The parts of the server that an object's connections need. */
export interface ConnectionsHost {
  readonly hibernate: boolean;
  /** The number of bytes that a client may leave unread. */
  readonly maxBytesInFlight: number;
  receive(socket: WebSocket, message: string | ArrayBuffer): void;
  /** Called once for each connection that has ended. */
  ended(connection: ClientSocket | OtherConnection): void;
}

/** The open connections of an object. Its sockets stay open when it leaves memory; other connections end then. */
export class Connections {
  readonly others = new Set<OtherConnection>();
  private readonly ctx: DurableObjectState;
  private readonly host: ConnectionsHost;
  /** Sockets that this life of the object has had to do with. */
  private readonly known = new Map<WebSocket, ClientSocket>();
  /** The attempts of clients whose connections have ended lately, by their names. */
  private readonly left = new Map<string, number>();
  /** The number of sockets, as far as known. */
  private count: number | undefined;

  constructor(ctx: DurableObjectState, host: ConnectionsHost) {
    this.ctx = ctx;
    this.host = host;
  }

  get size(): number {
    this.count = this.sockets(RPC_TAG).length;
    return this.count + this.others.size;
  }

  /** The number of connections that have a session in memory. */
  get awake(): number {
    return [...this.known.values()].filter(({ session }) => session !== undefined).length + this.others.size;
  }

  /** @throws {RpcError} `OVERLOADED` if there may be no further connection */
  requireRoom(limits: { readonly maxConnections: number }): void {
    const { maxConnections } = limits;
    // Near the limit the sockets are counted, which goes through all of them.
    this.count ??= this.sockets(RPC_TAG).length;
    if (this.count + this.others.size < maxConnections || this.size < maxConnections) return;
    throw exceeded('maxConnections', limits, 'OVERLOADED');
  }

  /**
   * Serves a new socket, which has its session.
   * @throws {RpcError} `LIMIT_EXCEEDED` if its caller does not fit into the attachment, `OVERLOADED` if the runtime takes
   * no more sockets
   */
  accept(connection: ClientSocket): void {
    const { socket, client } = connection;
    if (this.host.hibernate) {
      // The runtime answers heartbeats without waking the object, unless its class uses the only auto-response otherwise.
      if (this.ctx.getWebSocketAutoResponse() === null) {
        this.ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
      }
      // Before the socket is accepted, which cannot be undone.
      connection.attach();
      try {
        this.ctx.acceptWebSocket(socket, client === undefined ? [RPC_TAG] : [RPC_TAG, tagOf(client)]);
      } catch (cause) {
        // The object's own sockets take up room too, and maxConnections does not count them.
        throw new RpcError('OVERLOADED', 'the object has no room for another socket: connect again later', { cause });
      }
    } else {
      const end = () => void this.end(socket);
      socket.binaryType = 'arraybuffer';
      socket.accept();
      socket.addEventListener('message', ({ data }) => this.host.receive(socket, data as string | ArrayBuffer));
      socket.addEventListener('close', end);
      socket.addEventListener('error', end);
    }
    this.known.set(socket, connection);
    if (this.count !== undefined) this.count++;
  }

  /** Returns the client's socket; undefined for sockets that are not this library's. */
  find(socket: WebSocket): ClientSocket | undefined {
    const known = this.known.get(socket);
    if (known !== undefined) return known;
    const found = ClientSocket.read(socket, this.host.maxBytesInFlight);
    // One object for each socket, since subscribers are told apart by it. What has ended is not kept.
    if (found !== undefined && !found.isOver) this.known.set(socket, found);
    return found;
  }

  /**
   * Closes older connections of a client that has reconnected. Frames still under way on them must not run after the
   * client has sent its calls again.
   * @throws {RpcError} if the client has connected again since it sent this upgrade
   */
  supersede(client: OfferedClient): void {
    const before = this.tagged(tagOf(client)).filter((connection) => connection.client?.name === client.name);
    const newest = Math.max(this.left.get(client.name) ?? 0, ...before.map((each) => each.client!.attempt));
    if (newest >= client.attempt) {
      throw new RpcError('NOT_EXECUTED', 'the client has connected since this upgrade was sent');
    }
    for (const { socket } of before) this.drop(socket, CLOSE_SUPERSEDED, 'the client has connected again');
  }

  /** Handles the close of a socket; returns false if it is not this library's. */
  closed(socket: WebSocket, code: number): boolean {
    if (!this.end(socket)) return false;
    try {
      // The object has to answer the close of a hibernating socket; the runtime does that for other sockets only.
      socket.close(code === NO_CODE || code === CLOSE_ABNORMAL ? CLOSE_NORMAL : code);
    } catch {
      // The socket is closed already.
    }
    return true;
  }

  /** Ends the session of a socket that is gone; returns false if the socket is not this library's. */
  end(socket: WebSocket): boolean {
    const connection = this.find(socket);
    if (connection === undefined) return false;
    this.known.delete(socket);
    connection.session?.closed();
    connection.over();
    // An error may be reported before the close, and the object may leave memory in between.
    if (connection.isTold) return true;
    connection.markOver(true);
    if (connection.client !== undefined) this.note(connection.client);
    if (this.count !== undefined) this.count--;
    this.host.ended(connection);
    return true;
  }

  /** Notes what a client whose connection has ended does not open again. */
  private note({ name, attempt }: OfferedClient): void {
    this.left.delete(name);
    this.left.set(name, attempt);
    if (this.left.size > MAX_LEFT) this.left.delete(this.left.keys().next().value!);
  }

  /** Returns the sockets that have not ended, even right after the object woke. */
  open(): ClientSocket[] {
    return this.tagged(RPC_TAG).filter(({ socket, isOver }) => socket.readyState === WebSocket.OPEN && !isOver);
  }

  /** Returns when a client's last heartbeat was answered, whether by the runtime or by the object. */
  heardAt({ socket, heardAt }: ClientSocket): number {
    return Math.max(heardAt, Number(this.ctx.getWebSocketAutoResponseTimestamp(socket)));
  }

  /** Ends a connection at once, because the application wants it. */
  close(socket: WebSocket): void {
    if (socket.readyState !== WebSocket.OPEN) return;
    this.drop(socket, CLOSE_ENDED, closeReason(new RpcError('NOT_EXECUTED', ENDED)));
  }

  /** Frames that still arrive do not run. */
  private drop(socket: WebSocket, code: number, reason: string): void {
    this.end(socket);
    socket.close(code, reason);
  }

  private tagged(tag: string): ClientSocket[] {
    return this.sockets(tag).flatMap((socket) => this.find(socket) ?? []);
  }

  /** Sockets that do not hibernate have no tags. */
  private sockets(tag: string): WebSocket[] {
    return this.host.hibernate ? this.ctx.getWebSockets(tag) : [...this.known.keys()];
  }
}
