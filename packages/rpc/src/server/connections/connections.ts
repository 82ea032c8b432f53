import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_ENDED, CLOSE_NORMAL, CLOSE_SUPERSEDED, closeReason } from '../../protocol/close-codes.ts';
import type { ConnectedClient, OfferedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { ServerSession } from '../session.ts';
import {
  type AttachedClient,
  attach,
  attachEnd,
  attachedClient,
  clientTag,
  connectionTag,
  RPC_TAG,
} from './attachment.ts';
import { serveAccepted } from './sockets.ts';

/** Why a connection ends that the application closes. */
const ENDED = new RpcError('NOT_EXECUTED', 'the server has ended the connection');

/** An open connection. */
export interface ConnectedCaller<Identity = unknown> {
  /** The caller that is connected. */
  readonly caller: Caller<Identity>;
  /** Topics that it is subscribed to. */
  readonly topics: readonly { readonly name: string }[];
  /** Ends the connection. Its client connects again: who is not to come back has to be refused, by `authenticate` or `target`. */
  close(): void;
}

/** The server whose connections they are. */
export interface ConnectionsHost {
  /** Makes the session of a socket that the object has forgotten. */
  sessionFor(socket: WebSocket, caller: Caller, client: ConnectedClient | undefined): ServerSession;
  /** Called once for each connection. */
  began(caller: Caller): void;
  /** Called once for each connection: with its socket, or its session where the platform's own RPC carries it. */
  ended(connection: WebSocket | ServerSession | undefined, caller: Caller): void;
}

/**
 * The open connections of an object: its sockets, whose sessions are made again when the object has left memory, and others that
 * end with the object's stay in memory.
 */
export class Connections {
  readonly #ctx: DurableObjectState;
  readonly #hibernates: boolean;
  readonly #host: ConnectionsHost;
  /** Sockets that can hibernate, as far as is known; undefined until they are counted. */
  #sockets: number | undefined;
  /** Sessions of sockets of this life of the object. */
  readonly #sessions = new Map<WebSocket, ServerSession>();
  /** Hibernating sockets whose end was told. */
  readonly #gone = new WeakSet<WebSocket>();
  /** Connections that cannot hibernate. */
  readonly #inMemory = new Set<ConnectedCaller>();

  constructor(ctx: DurableObjectState, hibernates: boolean, host: ConnectionsHost) {
    this.#ctx = ctx;
    this.#hibernates = hibernates;
    this.#host = host;
  }

  /** How many there are. */
  get size(): number {
    this.#sockets = this.#countSockets();
    return this.#sockets + this.#inMemory.size;
  }

  /** How many of them have a session in memory. */
  get awake(): number {
    return (this.#hibernates ? this.#sessions.size : 0) + this.#inMemory.size;
  }

  /** Returns true if there are as many: the known number is close, and where it matters they are counted. */
  reaches(limit: number): boolean {
    // Not counted for each new one, as that goes through all of them.
    this.#sockets ??= this.#countSockets();
    return this.#sockets + this.#inMemory.size >= limit && this.size >= limit;
  }

  /**
   * Serves a new socket.
   * @throws {RpcError} and does not accept it: `LIMIT_EXCEEDED` where its caller is more than a socket carries,
   * `OVERLOADED` where the runtime takes no more sockets
   */
  accept(socket: WebSocket, session: ServerSession): void {
    if (this.#hibernates) this.#acceptHibernating(socket, session);
    this.#sessions.set(socket, session);
    if (!this.#hibernates) {
      const ended = this.#note(
        connected(session, () => this.#endHere(socket)),
        socket,
      );
      session.ended = () => {
        this.#sessions.delete(socket);
        ended();
      };
      serveAccepted(socket, session);
    }
    this.#host.began(session.caller!);
  }

  #acceptHibernating(socket: WebSocket, session: ServerSession): void {
    const { client } = session;
    const caller = session.caller!;
    const tags = [RPC_TAG, connectionTag(caller.connectionId)];
    if (client !== undefined) tags.push(clientTag(client));
    // First, as there is no way back for a socket that is accepted.
    attach(socket, caller, client);
    try {
      this.#ctx.acceptWebSocket(socket, tags);
    } catch (cause) {
      // The object's own sockets take room, too, which maxConnections does not count.
      throw new RpcError('OVERLOADED', 'the object has no room for another socket: connect again later', { cause });
    }
    if (this.#sockets !== undefined) this.#sockets++;
  }

  /** Serves a connection that the platform's own RPC carries. */
  add(session: ServerSession): void {
    const close = () => session.close(CLOSE_ENDED, ENDED);
    session.ended = this.#note(connected(session, close), session);
    this.#host.began(session.caller!);
  }

  /** Counts a connection that another protocol carries, and `close` ends; what it returns is to be called when it has ended. */
  addOther(caller: Caller, close: () => void): () => void {
    const ended = this.#note({ caller, topics: [], close });
    this.#host.began(caller);
    return ended;
  }

  /** Notes a connection that cannot hibernate; returns what is to be called when it has ended. */
  #note(open: ConnectedCaller, connection?: WebSocket | ServerSession): () => void {
    this.#inMemory.add(open);
    return () => {
      if (this.#inMemory.delete(open)) this.#host.ended(connection, open.caller);
    };
  }

  /** The session of a socket as far as it is in memory. */
  known(socket: WebSocket): ServerSession | undefined {
    return this.#sessions.get(socket);
  }

  /** The session of a socket, made again where it was forgotten; undefined for sockets that are not the library's, or not in use any more. */
  sessionOf(socket: WebSocket): ServerSession | undefined {
    let session = this.#sessions.get(socket);
    if (session !== undefined) return session;
    const attached = attachedClient(socket);
    if (attached === undefined || attached.isOver) return undefined;
    session = this.#host.sessionFor(socket, attached.caller, attached.client);
    this.#sessions.set(socket, session);
    return session;
  }

  /** The session of a connection by its name. */
  find(connectionId: string): ServerSession | undefined {
    const [socket] = this.#ctx.getWebSockets(connectionTag(connectionId));
    if (socket !== undefined) return this.sessionOf(socket);
    return [...this.#sessions.values()].find(({ caller }) => caller?.connectionId === connectionId);
  }

  /** Handles the close of a socket; false where it is not the library's. */
  close(socket: WebSocket, code: number): boolean {
    const attached = this.end(socket);
    if (attached === undefined) return false;
    try {
      // A close over a hibernating socket is for the object to answer: the runtime does that for other sockets only.
      socket.close(code === 1005 || code === 1006 ? CLOSE_NORMAL : code);
    } catch {
      // It is closed already, which is all that was wanted.
    }
    return true;
  }

  /** Ends the session of a socket that is gone; returns who was at its other end, undefined where it is not the library's. */
  end(socket: WebSocket): AttachedClient | undefined {
    const attached = attachedClient(socket);
    const session = this.#sessions.get(socket);
    this.#sessions.delete(socket);
    session?.lost();
    // An error may be told of before the close.
    if (attached !== undefined && !this.#gone.has(socket)) {
      this.#gone.add(socket);
      if (this.#sockets !== undefined) this.#sockets--;
      this.#host.ended(socket, attached.caller);
    }
    return attached;
  }

  /**
   * Ends what a client that connects again has left behind: its connection may not know yet that it is lost, and what is still
   * on its way over that must not run when its calls have been made again. False where the client has connected since it
   * sent this upgrade: it was held up, or somebody sends it a second time.
   */
  supersede(client: OfferedClient): boolean {
    const before = this.#of(client);
    if (before.some(([, attempt]) => attempt >= client.attempt)) return false;
    for (const [socket] of before) this.#drop(socket, CLOSE_SUPERSEDED, 'the client has connected again');
    return true;
  }

  #endHere(socket: WebSocket): void {
    if (socket.readyState === WebSocket.OPEN) this.#drop(socket, CLOSE_ENDED, closeReason(ENDED));
  }

  /** Ends a connection here and now: what still arrives over it does not run. */
  #drop(socket: WebSocket, code: number, reason: string): void {
    attachEnd(socket);
    this.end(socket);
    socket.close(code, reason);
  }

  /** Goes through those that are open, also right after waking. */
  *open(): Generator<ConnectedCaller> {
    for (const [socket, { caller, topics }] of this.inUse()) {
      yield { caller, topics: named(topics?.keys() ?? []), close: () => this.#endHere(socket) };
    }
    yield* this.#inMemory;
  }

  /** Goes through sockets that hibernate, are of this library and have not ended. */
  *inUse(): Generator<[WebSocket, AttachedClient]> {
    for (const socket of this.#ctx.getWebSockets(RPC_TAG)) {
      if (socket.readyState !== WebSocket.OPEN || this.#gone.has(socket)) continue;
      const attached = attachedClient(socket);
      if (attached !== undefined && !attached.isOver) yield [socket, attached];
    }
  }

  #countSockets(): number {
    return this.#hibernates ? this.#ctx.getWebSockets(RPC_TAG).length : 0;
  }

  /** The sockets of a client, and which of its attempts made them. */
  #of(client: OfferedClient): [socket: WebSocket, attempt: number][] {
    // Those that do not hibernate have no tags, and no attachment.
    const sockets = this.#hibernates
      ? this.#ctx.getWebSockets(clientTag(client))
      : [...this.#sessions.keys()].filter((socket) => this.#sessions.get(socket)!.client?.name === client.name);
    return sockets.map((socket) => {
      const known = this.#sessions.get(socket)?.client ?? attachedClient(socket)?.client;
      return [socket, known?.attempt ?? 0];
    });
  }
}

function named(names: Iterable<string>): { name: string }[] {
  return [...names].map((name) => ({ name }));
}

function connected(session: ServerSession, close: () => void): ConnectedCaller {
  return {
    get caller() {
      return session.caller!;
    },
    get topics() {
      return named(session.subscriber!().topics);
    },
    close,
  };
}
