import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_ENDED, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../../protocol/errors.ts';
import { PING, PONG } from '../../protocol/message.ts';
import type { OfferedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { ServerContext } from '../server-context.ts';
import type { ServerSession } from '../session.ts';
import type { EventChannel } from '../topics/subscriber.ts';
import { ClientSocket, serveAccepted } from './attachment.ts';

/** The reason that a client gets when the application closes its connection. */
const ENDED = new RpcError('NOT_EXECUTED', 'the server has ended the connection');

/** The code that a socket reports if it was closed without one. */
const NO_CODE = 1005;

/** An open connection. */
export interface ConnectedCaller<Identity = unknown> {
  /** The connected caller. */
  readonly caller: Caller<Identity>;
  /** The topics that the caller is subscribed to. */
  readonly topics: readonly { readonly name: string }[];
  /** Ends the connection. The client connects again, unless `authenticate` or `target` refuses its caller. */
  close(): void;
}

/**
 * The open connections of an object. Sockets stay open when the object leaves memory, and their sessions are made
 * again; other connections end then.
 */
export class Connections {
  readonly #ctx: DurableObjectState;
  readonly #context: ServerContext;
  readonly #hibernates: boolean;
  readonly #ended: (channel: EventChannel | undefined, caller: Caller) => void;
  /** Number of sockets, as far as known; undefined until they are counted. */
  #count: number | undefined;
  /** Sockets that have a session, or get events, in this life of the object. */
  readonly #sockets = new Map<WebSocket, ClientSocket>();
  /** Connections that are not sockets of this library. */
  readonly #others = new Set<ConnectedCaller>();

  /** `ended` is called once for each connection. */
  constructor(
    ctx: DurableObjectState,
    context: ServerContext,
    hibernates: boolean,
    ended: (channel: EventChannel | undefined, caller: Caller) => void,
  ) {
    this.#ctx = ctx;
    this.#context = context;
    this.#hibernates = hibernates;
    this.#ended = ended;
  }

  /** Number of open connections. */
  get size(): number {
    this.#count = this.#countSockets();
    return this.#count + this.#others.size;
  }

  /** Number of connections that have a session in memory. */
  get awake(): number {
    return [...this.#sockets.values()].filter(({ session }) => session !== undefined).length + this.#others.size;
  }

  /**
   * Returns true if there are at least `limit` connections. The known number is close; near the limit the sockets are
   * counted.
   */
  reaches(limit: number): boolean {
    // Not counted for each new connection, since counting goes through all sockets.
    this.#count ??= this.#countSockets();
    return this.#count + this.#others.size >= limit && this.size >= limit;
  }

  /**
   * Serves a new socket by its session.
   * @throws {RpcError} if the socket is not accepted: `LIMIT_EXCEEDED` if its caller does not fit into the attachment,
   * `OVERLOADED` if the runtime takes no more sockets
   */
  accept(connection: ClientSocket): void {
    const { socket, session } = connection;
    if (this.#hibernates) this.#acceptHibernating(connection);
    else serveAccepted(socket, session!, () => this.end(socket));
    this.#sockets.set(socket, connection);
    if (this.#count !== undefined) this.#count++;
  }

  #acceptHibernating(connection: ClientSocket): void {
    const { socket, client, caller } = connection;
    const tags = [RPC_TAG, connectionTag(caller.connectionId)];
    if (client !== undefined) tags.push(clientTag(client));
    answerHeartbeats(this.#ctx);
    // Before the socket is accepted, which cannot be undone.
    connection.attach();
    try {
      this.#ctx.acceptWebSocket(socket, tags);
    } catch (cause) {
      // The object's own sockets take up room too, and maxConnections does not count them.
      throw new RpcError('OVERLOADED', 'the object has no room for another socket: connect again later', { cause });
    }
  }

  /** Serves a connection over the platform's own RPC; `channel` takes its events. */
  add(session: ServerSession, channel: EventChannel): void {
    session.ended = this.addOther(
      {
        get caller() {
          return session.caller!;
        },
        get topics() {
          return named(channel.topics);
        },
        close: () => session.close(CLOSE_ENDED, ENDED),
      },
      channel,
    );
  }

  /** Counts a connection. Call the returned function when the connection has ended. */
  addOther(open: ConnectedCaller, channel?: EventChannel): () => void {
    this.#others.add(open);
    return () => {
      if (this.#others.delete(open)) this.#ended(channel, open.caller);
    };
  }

  /** Returns the client socket of a socket; undefined for sockets that are not the library's. */
  ofSocket(socket: WebSocket): ClientSocket | undefined {
    return this.#sockets.get(socket) ?? ClientSocket.read(socket, this.#context);
  }

  /** Returns the connection with this id. */
  byConnectionId(connectionId: string): ClientSocket | undefined {
    const [socket] = this.#ctx.getWebSockets(connectionTag(connectionId));
    if (socket !== undefined) return this.ofSocket(socket);
    return [...this.#sockets.values()].find(({ caller }) => caller.connectionId === connectionId);
  }

  /** Keeps the state of a socket while the object stays in memory. */
  remember(connection: ClientSocket): ClientSocket {
    this.#sockets.set(connection.socket, connection);
    return connection;
  }

  /** Handles the close of a socket; returns false if the socket is not the library's. */
  close(socket: WebSocket, code: number): boolean {
    if (!this.end(socket)) return false;
    try {
      // The object has to answer the close of a hibernating socket; the runtime does that for other sockets only.
      socket.close(code === NO_CODE || code === CLOSE_ABNORMAL ? CLOSE_NORMAL : code);
    } catch {
      // The socket is closed already.
    }
    return true;
  }

  /** Ends the session of a socket that is gone; returns false if the socket is not the library's. */
  end(socket: WebSocket): boolean {
    const connection = this.ofSocket(socket);
    if (connection === undefined) return false;
    this.#sockets.delete(socket);
    connection.session?.lost();
    // An error may be reported before the close, and the object may leave memory in between.
    if (connection.isEndReported) return true;
    connection.markEnded(true);
    if (this.#count !== undefined) this.#count--;
    this.#ended(connection, connection.caller);
    return true;
  }

  /**
   * Closes older connections of a client that has reconnected. An older one may not know yet that it is lost, and
   * frames still under way on it must not run after the client has made its calls again. Returns false if the client
   * has connected again since it sent this upgrade: the upgrade was delayed, or somebody replays it.
   */
  supersede(client: OfferedClient): boolean {
    const before = this.#ofClient(client);
    if (before.some((connection) => connection.client!.attempt >= client.attempt)) return false;
    for (const connection of before) this.#drop(connection, CLOSE_SUPERSEDED, 'the client has connected again');
    return true;
  }

  /** Ends a connection at once: frames that still arrive over it do not run. */
  #drop(connection: ClientSocket, code: number, reason: string): void {
    const { socket } = connection;
    this.end(socket);
    socket.close(code, reason);
  }

  #endHere(socket: WebSocket): void {
    if (socket.readyState === WebSocket.OPEN) this.#drop(this.ofSocket(socket)!, CLOSE_ENDED, closeReason(ENDED));
  }

  /** Yields the open connections, even right after the object woke. */
  *open(): Generator<ConnectedCaller> {
    for (const { socket, caller, topics } of this.#inUse()) {
      yield { caller, topics: named(topics), close: () => this.#endHere(socket) };
    }
    yield* this.#others;
  }

  /** Yields the sockets that have noted subscriptions. */
  *subscribed(): Generator<ClientSocket> {
    for (const connection of this.#inUse()) if (connection.topics !== undefined) yield this.remember(connection);
  }

  /** Yields the sockets that have not ended. */
  *#inUse(): Generator<ClientSocket> {
    for (const socket of this.#hibernates ? this.#ctx.getWebSockets(RPC_TAG) : [...this.#sockets.keys()]) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      const connection = this.ofSocket(socket);
      if (connection !== undefined && !connection.isOver) yield connection;
    }
  }

  #countSockets(): number {
    return this.#hibernates ? this.#ctx.getWebSockets(RPC_TAG).length : this.#sockets.size;
  }

  /** Returns the connections of a client. */
  #ofClient(client: OfferedClient): ClientSocket[] {
    // Sockets that do not hibernate have neither tags nor attachments.
    const sockets = this.#hibernates ? this.#ctx.getWebSockets(clientTag(client)) : [...this.#sockets.keys()];
    return sockets.map((socket) => this.ofSocket(socket)!).filter((found) => found?.client?.name === client.name);
  }
}

/** The tag by which an object finds this library's sockets among its own. */
const RPC_TAG = 'lumenize.rpc';

/** Makes the tag by which an object finds the sockets of a client. */
function clientTag({ name }: OfferedClient): string {
  return `lumenize.client:${name}`;
}

/** Makes the tag by which an object finds a connection's socket. */
function connectionTag(connectionId: string): string {
  return `lumenize.rpc:${connectionId}`;
}

/**
 * Makes the runtime answer heartbeats without waking the object, unless the object's class uses the only auto-response
 * for something else.
 */
function answerHeartbeats(ctx: DurableObjectState): void {
  if (ctx.getWebSocketAutoResponse() === null) {
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }
}

function named(topics: ReadonlyMap<string, unknown> | undefined): { name: string }[] {
  return [...(topics?.keys() ?? [])].map((name) => ({ name }));
}
