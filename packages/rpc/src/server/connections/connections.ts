import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_ENDED, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../../protocol/errors.ts';
import { PING, PONG } from '../../protocol/message.ts';
import type { OfferedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { OtherConnection } from '../options.ts';
import type { ServerContext } from '../server-context.ts';
import { ClientSocket, serveAccepted } from './attachment.ts';

/** The reason that a client gets when the application closes its connection. */
export const ENDED = new RpcError('NOT_EXECUTED', 'the server has ended the connection');

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
  readonly hibernates: boolean;
  readonly #ctx: DurableObjectState;
  readonly #context: ServerContext;
  readonly #ended: (connection: ClientSocket | OtherConnection) => void;
  /** Number of sockets, as far as known; undefined until they are counted. */
  #count: number | undefined;
  /** Sockets that have a session, or get events, in this life of the object. */
  readonly #sockets = new Map<WebSocket, ClientSocket>();
  /** Connections that are not sockets of this library. */
  readonly #others = new Set<OtherConnection>();

  /** `ended` is called once for each connection. */
  constructor(
    ctx: DurableObjectState,
    context: ServerContext,
    hibernates: boolean,
    ended: (connection: ClientSocket | OtherConnection) => void,
  ) {
    this.#ctx = ctx;
    this.#context = context;
    this.hibernates = hibernates;
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
    if (this.hibernates) this.#acceptHibernating(connection);
    else serveAccepted(socket, session!, () => this.end(socket));
    this.#sockets.set(socket, connection);
    if (this.#count !== undefined) this.#count++;
  }

  #acceptHibernating(connection: ClientSocket): void {
    const { socket, client, caller } = connection;
    const tags = [RPC_TAG, connectionTag(caller.connectionId)];
    if (client !== undefined) tags.push(clientTag(client));
    // The runtime answers heartbeats without waking the object, unless its class uses the only auto-response otherwise.
    if (this.#ctx.getWebSocketAutoResponse() === null) {
      this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    }
    // Before the socket is accepted, which cannot be undone.
    connection.attach();
    try {
      this.#ctx.acceptWebSocket(socket, tags);
    } catch (cause) {
      // The object's own sockets take up room too, and maxConnections does not count them.
      throw new RpcError('OVERLOADED', 'the object has no room for another socket: connect again later', { cause });
    }
  }

  /** Counts a connection. Call the returned function when the connection has ended. */
  add(connection: OtherConnection): () => void {
    this.#others.add(connection);
    return () => {
      if (this.#others.delete(connection)) this.#ended(connection);
    };
  }

  /** Returns the client socket of a socket; undefined for sockets that are not the library's. */
  ofSocket(socket: WebSocket): ClientSocket | undefined {
    return this.#sockets.get(socket) ?? ClientSocket.read(socket, this.#context);
  }

  /** Returns the connection with this id. */
  byConnectionId(connectionId: string): ClientSocket | undefined {
    for (const connection of this.#tagged(connectionTag(connectionId))) {
      if (connection.caller.connectionId === connectionId) return connection;
    }
    return undefined;
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
    connection.session?.closed();
    // An error may be reported before the close, and the object may leave memory in between.
    if (connection.isEndReported) return true;
    connection.markEnded(true);
    if (this.#count !== undefined) this.#count--;
    this.#ended(connection);
    return true;
  }

  /**
   * Closes older connections of a client that has reconnected. An older one may not know yet that it is lost, and
   * frames still under way on it must not run after the client has sent its calls again. Returns false if the client
   * has connected again since it sent this upgrade: the upgrade was delayed, or somebody replays it.
   */
  supersede(client: OfferedClient): boolean {
    // Sockets that do not hibernate have neither tags nor attachments.
    const before = [...this.#tagged(clientTag(client))].filter(({ client: other }) => other?.name === client.name);
    if (before.some((connection) => connection.client!.attempt >= client.attempt)) return false;
    for (const { socket } of before) this.#drop(socket, CLOSE_SUPERSEDED, 'the client has connected again');
    return true;
  }

  /** Ends a connection at once: frames that still arrive over it do not run. */
  #drop(socket: WebSocket, code: number, reason: string): void {
    this.end(socket);
    socket.close(code, reason);
  }

  /** Yields the open connections, even right after the object woke. */
  *open(): Generator<ConnectedCaller> {
    for (const { socket, caller, topics } of this.#inUse()) {
      const close = () => {
        if (socket.readyState === WebSocket.OPEN) this.#drop(socket, CLOSE_ENDED, closeReason(ENDED));
      };
      yield { caller, topics: named(topics), close };
    }
    for (const each of this.#others) {
      yield { caller: each.caller, topics: named(each.topics), close: () => each.close() };
    }
  }

  /** Yields the sockets that have noted subscriptions. */
  *subscribed(): Generator<ClientSocket> {
    for (const connection of this.#inUse()) if (connection.topics !== undefined) yield this.remember(connection);
  }

  /** Yields the sockets that have not ended. */
  *#inUse(): Generator<ClientSocket> {
    for (const connection of this.#tagged(RPC_TAG)) {
      if (connection.socket.readyState === WebSocket.OPEN && !connection.isOver) yield connection;
    }
  }

  #countSockets(): number {
    return this.hibernates ? this.#ctx.getWebSockets(RPC_TAG).length : this.#sockets.size;
  }

  /** Yields the sockets with a tag, or all sockets if they do not hibernate and so have no tags. */
  *#tagged(tag: string): Generator<ClientSocket> {
    for (const socket of this.hibernates ? this.#ctx.getWebSockets(tag) : [...this.#sockets.keys()]) {
      const connection = this.ofSocket(socket);
      if (connection !== undefined) yield connection;
    }
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

function named(topics: ReadonlyMap<string, unknown> | undefined): { name: string }[] {
  return [...(topics?.keys() ?? [])].map((name) => ({ name }));
}
