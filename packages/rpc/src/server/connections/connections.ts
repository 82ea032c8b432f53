import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_ENDED, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../../protocol/errors.ts';
import { PING, PONG } from '../../protocol/message.ts';
import type { OfferedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { ServerContext } from '../server-context.ts';
import type { ServerSession } from '../session.ts';
import type { EventChannel } from '../topics/subscriber.ts';
import { ClientSocket, serveAccepted } from './attachment.ts';

/** The reason of a connection's end that the application closes. */
const ENDED = new RpcError('NOT_EXECUTED', 'the server has ended the connection');

/** The code that a socket reports which was closed without one. */
const NO_CODE = 1005;

/** An open connection. */
export interface ConnectedCaller<Identity = unknown> {
  /** The caller that is connected. */
  readonly caller: Caller<Identity>;
  /** Topics that it is subscribed to. */
  readonly topics: readonly { readonly name: string }[];
  /** Ends the connection. Its client connects again: who is not to come back has to be refused, by `authenticate` or `target`. */
  close(): void;
}

/**
 * The open connections of an object: its sockets, whose sessions are made again when the object has left memory, and others that
 * end with the object's stay in memory.
 */
export class Connections {
  readonly #ctx: DurableObjectState;
  readonly #context: ServerContext;
  readonly #hibernates: boolean;
  readonly #ended: (channel: EventChannel | undefined, caller: Caller) => void;
  /** Sockets, as far as is known; undefined until they are counted. */
  #count: number | undefined;
  /** Sockets that have a session, or are sent events, in this life of the object. */
  readonly #sockets = new Map<WebSocket, ClientSocket>();
  /** Connections that are no sockets of this library. */
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

  /** Returns true if there are as many: the known number is close, and where it matters they are counted. */
  reaches(limit: number): boolean {
    // Not counted for each new one, as that goes through all of them.
    this.#count ??= this.#countSockets();
    return this.#count + this.#others.size >= limit && this.size >= limit;
  }

  /**
   * Serves a new socket, by its session.
   * @throws {RpcError} and does not accept it: `LIMIT_EXCEEDED` where its caller is more than a socket carries,
   * `OVERLOADED` where the runtime takes no more sockets
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
    // First, as there is no way back for a socket that is accepted.
    connection.attach();
    try {
      this.#ctx.acceptWebSocket(socket, tags);
    } catch (cause) {
      // The object's own sockets take room, too, which maxConnections does not count.
      throw new RpcError('OVERLOADED', 'the object has no room for another socket: connect again later', { cause });
    }
  }

  /** Serves a connection that the platform's own RPC carries; `channel` takes its events. */
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

  /** Counts a connection; what this returns is to be called when it has ended. */
  addOther(open: ConnectedCaller, channel?: EventChannel): () => void {
    this.#others.add(open);
    return () => {
      if (this.#others.delete(open)) this.#ended(channel, open.caller);
    };
  }

  /** Finds a socket that a message came over; undefined for sockets that are not the library's. */
  find(socket: WebSocket): ClientSocket | undefined {
    return this.#sockets.get(socket) ?? ClientSocket.read(socket, this.#context);
  }

  /** Finds the connection of a name. */
  named(connectionId: string): ClientSocket | undefined {
    const [socket] = this.#ctx.getWebSockets(connectionTag(connectionId));
    if (socket !== undefined) return this.find(socket);
    return [...this.#sockets.values()].find(({ caller }) => caller.connectionId === connectionId);
  }

  /** Keeps what is known of a socket while the object stays in memory. */
  keep(connection: ClientSocket): ClientSocket {
    this.#sockets.set(connection.socket, connection);
    return connection;
  }

  /** Handles the close of a socket; false where it is not the library's. */
  close(socket: WebSocket, code: number): boolean {
    if (!this.end(socket)) return false;
    try {
      // A close over a hibernating socket is for the object to answer: the runtime does that for other sockets only.
      socket.close(code === NO_CODE || code === CLOSE_ABNORMAL ? CLOSE_NORMAL : code);
    } catch {
      // It is closed already, which is all that was wanted.
    }
    return true;
  }

  /** Ends the session of a socket that is gone; false where it is not the library's. */
  end(socket: WebSocket): boolean {
    const connection = this.find(socket);
    if (connection === undefined) return false;
    this.#sockets.delete(socket);
    connection.session?.lost();
    // An error may be reported before the close, and in between the object may leave memory.
    if (connection.isGone) return true;
    connection.end(true);
    if (this.#count !== undefined) this.#count--;
    this.#ended(connection, connection.caller);
    return true;
  }

  /**
   * Ends what a client that connects again has left behind: its connection may not know yet that it is lost, and what is still
   * on its way over that must not run when its calls have been made again. False where the client has connected since it
   * sent this upgrade: it was held up, or somebody sends it a second time.
   */
  supersede(client: OfferedClient): boolean {
    const before = this.#of(client);
    if (before.some((connection) => connection.client!.attempt >= client.attempt)) return false;
    for (const connection of before) this.#drop(connection, CLOSE_SUPERSEDED, 'the client has connected again');
    return true;
  }

  /** Ends a connection here and now: what still arrives over it does not run. */
  #drop(connection: ClientSocket, code: number, reason: string): void {
    const { socket } = connection;
    this.end(socket);
    socket.close(code, reason);
  }

  #endHere(socket: WebSocket): void {
    if (socket.readyState === WebSocket.OPEN) this.#drop(this.find(socket)!, CLOSE_ENDED, closeReason(ENDED));
  }

  /** Goes through those that are open, also right after waking. */
  *open(): Generator<ConnectedCaller> {
    for (const { socket, caller, topics } of this.#inUse()) {
      yield { caller, topics: named(topics), close: () => this.#endHere(socket) };
    }
    yield* this.#others;
  }

  /** Goes through the sockets that are noted to be subscribed to topics. */
  *subscribed(): Generator<ClientSocket> {
    for (const connection of this.#inUse()) if (connection.topics !== undefined) yield this.keep(connection);
  }

  /** Goes through sockets that have not ended. */
  *#inUse(): Generator<ClientSocket> {
    for (const socket of this.#hibernates ? this.#ctx.getWebSockets(RPC_TAG) : [...this.#sockets.keys()]) {
      if (socket.readyState !== WebSocket.OPEN) continue;
      const connection = this.find(socket);
      if (connection !== undefined && !connection.isOver) yield connection;
    }
  }

  #countSockets(): number {
    return this.#hibernates ? this.#ctx.getWebSockets(RPC_TAG).length : this.#sockets.size;
  }

  /** Finds the connections of a client. */
  #of(client: OfferedClient): ClientSocket[] {
    // Those that do not hibernate have no tags, and no attachment.
    const sockets = this.#hibernates ? this.#ctx.getWebSockets(clientTag(client)) : [...this.#sockets.keys()];
    return sockets.map((socket) => this.find(socket)!).filter((found) => found?.client?.name === client.name);
  }
}

/** The tag by which an object finds the sockets of this library among its own. */
const RPC_TAG = 'lumenize.rpc';

/** Makes the tag by which an object finds the sockets of a client. */
function clientTag({ name }: OfferedClient): string {
  return `lumenize.client:${name}`;
}

/** Makes the tag by which an object finds a connection's socket. */
function connectionTag(connectionId: string): string {
  return `lumenize.rpc:${connectionId}`;
}

/** Has the runtime answer heartbeats without waking the object, unless the object's class uses its one pair for something else. */
function answerHeartbeats(ctx: DurableObjectState): void {
  if (ctx.getWebSocketAutoResponse() === null) {
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }
}

function named(topics: ReadonlyMap<string, unknown> | undefined): { name: string }[] {
  return [...(topics?.keys() ?? [])].map((name) => ({ name }));
}
