import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_EXPIRED, closeReason } from '../../protocol/errors.ts';
import { askFor, isFrameText, type Message } from '../../protocol/message.ts';
import type { ConnectedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { Recipe } from '../../session/references/recipes.ts';
import type { ConnectionMemory } from '../../session/references/restoring.ts';
import type { Transport } from '../../transport/transport.ts';
import { expiredError, isExpired } from '../access/caller.ts';
import type { ServerContext } from '../server-context.ts';
import type { ServerSession } from '../session.ts';
import type { EventChannel, NotedTopics } from '../topics/subscriber.ts';

/** Bytes that the runtime allows for an attachment. */
const ATTACHMENT_BYTES = 16_384;

/**
 * State that a hibernating socket carries, up to 16 kB, so that its session can be made again after the object has left
 * memory.
 */
interface Attachment {
  readonly lumenizeRpc: 1;
  /** The caller itself if structured clone keeps all of it, else text of the codec. */
  readonly caller: Caller | string;
  /** Identifies the client, and the connection among the client's own. */
  readonly client?: ConnectedClient | undefined;
  /** True once this side has ended the connection. Frames that still arrive over it do not run. */
  readonly isOver?: boolean;
  /** True once the application has been told that the connection has ended. */
  readonly isEndReported?: boolean;
  /** Number of lives of the session in which it gave ids. A session has a new life each time that it is made again. */
  readonly lives?: number;
  /** Recipes for deriving references again, by their ids. */
  readonly recipes?: Map<number, Recipe>;
  /** The topics that the connection is subscribed to. */
  readonly topics?: NotedTopics | undefined;
}

/** A number of lives that no socket reaches. The addresses of twice as many are safe integers. */
const COUNTED_LIVES = 134_217_728;

/** The socket of a client. */
export class AcceptedSocket implements Transport {
  readonly socket: WebSocket;

  constructor(socket: WebSocket) {
    this.socket = socket;
  }

  send(frame: Message): void {
    try {
      this.socket.send(frame);
    } catch {
      // The client is gone, and its calls settle on its side.
    }
  }

  ask(name: string): void {
    this.send(askFor(name));
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }
}

/** The socket of an object's client, with its session and the state that it carries while the object is not in memory. */
export class ClientSocket extends AcceptedSocket implements ConnectionMemory, EventChannel {
  /**
   * Identifies the client, and the connection among the client's own; undefined for clients that do not identify
   * themselves.
   */
  readonly client: ConnectedClient | undefined;
  caller: Caller;
  topics: NotedTopics | undefined;
  announce: (() => void) | undefined;
  /** The session. After the object has left memory, it is undefined until the next message. */
  session: ServerSession | undefined;
  readonly #context: ServerContext;
  /** The content of the attachment, read once; undefined for sockets that do not hibernate. */
  #attachment: Attachment | undefined;

  constructor(socket: WebSocket, context: ServerContext, caller: Caller, client?: ConnectedClient) {
    super(socket);
    this.#context = context;
    this.caller = caller;
    this.client = client;
  }

  /** Returns the client socket for which `attach` was called; undefined for sockets that are not the library's. */
  static read(socket: WebSocket, context: ServerContext): ClientSocket | undefined {
    const attachment = socket.deserializeAttachment() as Attachment | null;
    if (attachment?.lumenizeRpc !== 1) return undefined;
    const { caller: stored, client, topics } = attachment;
    const caller = typeof stored === 'string' ? (parse(stored) as Caller) : stored;
    const known = new ClientSocket(socket, context, caller, client);
    known.topics = topics;
    known.#attachment = attachment;
    return known;
  }

  /** True once this side has ended the connection. */
  get isOver(): boolean {
    return this.#attachment?.isOver === true;
  }

  /** True once the application has been told that the connection has ended. */
  get isEndReported(): boolean {
    return this.#attachment?.isEndReported === true;
  }

  /**
   * Stores the caller in the socket's attachment, for hibernation.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there is no room for it
   */
  attach(): void {
    const { caller, client } = this;
    // Both flags are part of the attachment from the beginning, so that there is always room to set them.
    this.#writeCaller(caller, { lumenizeRpc: 1, caller: '', client, isOver: false, isEndReported: false });
  }

  /**
   * Replaces the caller, also in the attachment.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there is no room for it; the caller then stays the same
   */
  renew(caller: Caller): void {
    this.#writeCaller(caller);
    this.caller = caller;
  }

  /**
   * Notes that this side has ended the connection or, with `isEndReported`, that the application knows of its end. Drops the
   * rest of the attachment, which is of no use any more and may leave no room.
   */
  markEnded(isEndReported = this.isEndReported): void {
    if (this.#attachment === undefined) return;
    const { caller, client } = this.#attachment;
    this.#write({ isEndReported }, { lumenizeRpc: 1, caller, client, isOver: true });
  }

  override close(code: number, reason: string): void {
    // More frames may arrive until the client answers the close. If the object leaves memory meanwhile, it knows only
    // the attachment.
    this.markEnded();
    if (this.session !== undefined) this.session.isOver = true;
    super.close(code, reason);
  }

  sendEvents(frames: readonly Message[], now: number): boolean {
    const { caller } = this;
    const isLate = isExpired(caller.expiresAt, now);
    if (!isLate) {
      for (const frame of frames) {
        this.send(frame);
        // Only a client that has sent something in this life of the object can ask for more than its window.
        this.session?.backlog.sent(frame);
      }
    } else if (this.socket.readyState === WebSocket.OPEN) {
      if (this.session !== undefined) this.session.expire();
      else {
        const error = expiredError();
        this.#context.refusals.add(error, 'a connection', caller);
        this.close(CLOSE_EXPIRED, closeReason(error));
      }
    }
    return !isLate;
  }

  /** Notes the topics that the connection is subscribed to; throws if there is no room for them. */
  note(topics: NotedTopics): void {
    this.#write({ topics: topics.size === 0 ? undefined : topics });
    this.topics = topics;
  }

  beginLife(): number {
    const life = this.#attachment!.lives ?? 0;
    try {
      this.#write({ lives: life + 1 });
      return life;
    } catch {
      // There is no room to count the lives. A random number is very unlikely to have been used before.
      return COUNTED_LIVES + Math.floor(Math.random() * COUNTED_LIVES);
    }
  }

  remember(id: number, recipe: Recipe): boolean {
    try {
      this.#write({ recipes: new Map(this.#attachment!.recipes).set(id, recipe) });
      return true;
    } catch {
      return false; // the attachment has no room
    }
  }

  recall(id: number): Recipe | undefined {
    return this.#attachment?.recipes?.get(id);
  }

  forget(id: number): void {
    if (this.#attachment?.recipes?.delete(id)) this.#write({});
  }

  /** Changes the attachment of a socket that has one. If that throws, the attachment stays the same. */
  #write(change: Partial<Attachment>, before = this.#attachment): void {
    if (before === undefined) return;
    const attachment = { ...before, ...change };
    this.socket.serializeAttachment(attachment);
    this.#attachment = attachment;
  }

  #writeCaller(caller: Caller, before?: Attachment): void {
    try {
      this.#write({ caller: storable(caller) }, before);
    } catch (cause) {
      const { length } = stringify(caller.identity);
      const message = `an identity of ${length} characters does not fit into the ${ATTACHMENT_BYTES} bytes of a socket`;
      throw new RpcError('LIMIT_EXCEEDED', message, { cause });
    }
  }
}

/** Passes a message to its session. */
export function receiveMessage(session: ServerSession, message: string | ArrayBuffer): void {
  if (typeof message !== 'string') session.receive(new Uint8Array(message));
  else if (isFrameText(message)) session.receive(message);
  else session.receiveText(message);
}

/** Accepts a socket without hibernation, and serves it until it ends. It then calls `ended` once or twice. */
export function serveAccepted(socket: WebSocket, session: ServerSession, ended = () => session.closed()): void {
  socket.binaryType = 'arraybuffer';
  socket.accept();
  socket.addEventListener('message', ({ data }) => receiveMessage(session, data as string | ArrayBuffer));
  socket.addEventListener('close', ended);
  socket.addEventListener('error', ended);
}

/** Depth to which an identity is searched. Deeper ones, and cyclic ones, are stored as text. */
const MAX_DEPTH = 8;

/**
 * Returns a caller in a form that an attachment can store. Structured clone drops classes and prototypes; the codec
 * keeps them, at a cost each time that the object wakes.
 */
function storable(caller: Caller): Caller | string {
  return isPlain(caller, MAX_DEPTH) ? caller : stringify(caller);
}

/** Returns true for primitives, and for lists and objects that hold only these. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol';
  const plain = Array.isArray(value) ? Array.prototype : Object.prototype;
  if (depth === 0 || Object.getPrototypeOf(value) !== plain) return false;
  return Object.values(value).every((each) => isPlain(each, depth - 1));
}
