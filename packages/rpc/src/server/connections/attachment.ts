import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_EXPIRED, closeReason } from '../../protocol/errors.ts';
import { answeredName, askFor, isFrameText, type Message, PING, PONG } from '../../protocol/message.ts';
import type { ConnectedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { ConnectionMemory } from '../../session/references/memory.ts';
import type { Transport } from '../../transport/transport.ts';
import { expiredError, isExpired } from '../access/caller.ts';
import type { ServerContext } from '../server-context.ts';
import type { ServerSession } from '../session.ts';
import type { EventChannel, NotedTopics, Subscriber } from '../topics/subscriber.ts';

/** Room that the runtime has for an attachment. */
const ATTACHMENT_BYTES = 16_384;

/** Carried by a hibernating socket, up to 16 kB, so that its session can be made again after the object has left memory. */
interface Attachment {
  readonly lumenizeRpc: 1;
  /** As it is where structured clone keeps all of it, else as text of the codec. */
  readonly caller: Caller | string;
  /** Identifies the client, and the connection among its own. */
  readonly client?: ConnectedClient | undefined;
  /** True once this side has ended the connection: what still comes over it is not to run. */
  readonly isOver?: boolean;
  /** True once the application has been told that the connection has ended. */
  readonly isGone?: boolean;
  /** Number of lives of its session in which it gave ids. */
  readonly lives?: number;
  /** Recipes to derive references again, by their ids. */
  readonly recipes?: Map<number, string>;
  /** The topics that it is subscribed to. */
  readonly topics?: NotedTopics;
}

/** More lives than a socket has. */
const COUNTED_LIVES = 268_435_456;

/** The socket of a client, with its session, and with what it carries while the object is not in memory. */
export class ClientSocket implements Transport, ConnectionMemory, EventChannel {
  readonly socket: WebSocket;
  /** Identifies the client, and the connection among its own; undefined for those that do not say. */
  readonly client: ConnectedClient | undefined;
  caller: Caller;
  topics: NotedTopics | undefined;
  subscriber: Subscriber | undefined;
  /** Made with the first message after the object has left memory. */
  session: ServerSession | undefined;
  readonly #context: ServerContext;
  /** The content of the attachment, read once; undefined for sockets that do not hibernate. */
  #attachment: Attachment | undefined;

  constructor(socket: WebSocket, context: ServerContext, caller: Caller, client?: ConnectedClient) {
    this.socket = socket;
    this.#context = context;
    this.caller = caller;
    this.client = client;
  }

  /** Returns the socket that `attach` was called for; undefined for sockets that are not the library's. */
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

  /** True once the application has been told that it has ended. */
  get isGone(): boolean {
    return this.#attachment?.isGone === true;
  }

  /**
   * Has the socket carry its caller, for hibernation.
   * @throws {RpcError} `LIMIT_EXCEEDED` where there is no room for it
   */
  attach(): void {
    const { caller, client } = this;
    // Properties that are set later have their room from the beginning.
    this.#writeCaller({ lumenizeRpc: 1, caller: storable(caller), client, isOver: false }, caller);
  }

  /**
   * Notes the caller that it is from now on.
   * @throws {RpcError} `LIMIT_EXCEEDED` where there is no room for it: then it is who it was
   */
  renew(caller: Caller): void {
    if (this.#attachment !== undefined) this.#writeCaller({ ...this.#attachment, caller: storable(caller) }, caller);
    this.caller = caller;
  }

  /**
   * Notes that this side has ended the connection, or, with `isGone`, that the application knows of its end; what else it carries
   * is of no use any more, and may leave no room.
   */
  end(isGone = this.isGone): void {
    if (this.#attachment === undefined) return;
    const { caller, client } = this.#attachment;
    this.#write({ lumenizeRpc: 1, caller, client, isOver: true, isGone });
  }

  send(frame: Message): void {
    try {
      this.socket.send(frame);
    } catch {
      // The client is gone: its calls settle on its side.
    }
  }

  ask(name: string): void {
    this.send(askFor(name));
  }

  close(code: number, reason: string): void {
    // More may arrive until the client answers, also when the object has left memory and knows no more than is attached.
    this.end();
    this.socket.close(code, reason);
  }

  sendEvents(frames: readonly Message[], now: number): boolean {
    const { caller } = this;
    const isLate = isExpired(caller.expiresAt, now);
    if (!isLate) for (const frame of frames) this.send(frame);
    else if (this.socket.readyState === WebSocket.OPEN) {
      const error = expiredError();
      this.#context.refusals.add(error, 'a connection', caller);
      this.close(CLOSE_EXPIRED, closeReason(error));
    }
    return !isLate;
  }

  /** Notes the topics that it is subscribed to; throws where there is no room for them. */
  note(topics: NotedTopics): void {
    if (this.#attachment !== undefined) {
      const { topics: _before, ...attachment } = this.#attachment;
      this.#write(topics.size === 0 ? attachment : { ...attachment, topics });
    }
    this.topics = topics;
  }

  beginLife(): number {
    const life = this.#attachment!.lives ?? 0;
    try {
      this.#write({ ...this.#attachment!, lives: life + 1 });
      return life;
    } catch {
      // There is no room to count on. A number by chance is hardly one that was given before.
      return COUNTED_LIVES + Math.floor(Math.random() * COUNTED_LIVES);
    }
  }

  remember(id: number, recipe: string): boolean {
    const attachment = this.#attachment!;
    try {
      this.#write({ ...attachment, recipes: new Map(attachment.recipes).set(id, recipe) });
      return true;
    } catch {
      return false; // it has grown past what a socket carries
    }
  }

  recall(id: number): string | undefined {
    return this.#attachment?.recipes?.get(id);
  }

  forget(id: number): void {
    if (this.#attachment?.recipes?.delete(id)) this.#write(this.#attachment);
  }

  /** Writes what it carries; where that throws, it carries what it did. */
  #write(attachment: Attachment): void {
    this.socket.serializeAttachment(attachment);
    this.#attachment = attachment;
  }

  #writeCaller(attachment: Attachment, { identity }: Caller): void {
    try {
      this.#write(attachment);
    } catch (cause) {
      const { length } = stringify(identity);
      const message = `an identity of ${length} characters does not fit into the ${ATTACHMENT_BYTES} bytes of a socket`;
      throw new RpcError('LIMIT_EXCEEDED', message, { cause });
    }
  }
}

/** Hands a message to its session; answers a heartbeat that the runtime has not answered. */
export function receiveMessage(socket: WebSocket, session: ServerSession, message: string | ArrayBuffer): void {
  if (typeof message !== 'string') return session.receive(new Uint8Array(message));
  if (isFrameText(message)) return session.receive(message);
  if (message === PING) return socket.send(PONG);
  const name = answeredName(message);
  // Also one that an earlier life of the object asked for.
  if (name === undefined) session.refuseText();
  else session.read(name);
}

/** Accepts a socket, not to hibernate, and serves it until it ends: then `ended` is called, once or twice. */
export function serveAccepted(socket: WebSocket, session: ServerSession, ended = () => session.lost()): void {
  socket.binaryType = 'arraybuffer';
  socket.accept();
  socket.addEventListener('message', ({ data }) => receiveMessage(socket, session, data as string | ArrayBuffer));
  socket.addEventListener('close', ended);
  socket.addEventListener('error', ended);
}

/** Depth to which an identity is looked through; deeper ones, and cyclic ones, are stored as text. */
const MAX_DEPTH = 8;

/** Returns a caller as an attachment can store it: structured clone drops classes and prototypes, which the codec carries. */
function storable(caller: Caller): Caller | string {
  return isPlain(caller, MAX_DEPTH) ? caller : stringify(caller);
}

/** Returns true for primitives, and for lists and objects of such. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function' && typeof value !== 'symbol';
  const plain = Array.isArray(value) ? Array.prototype : Object.prototype;
  if (depth === 0 || Object.getPrototypeOf(value) !== plain) return false;
  return Object.values(value).every((each) => isPlain(each, depth - 1));
}
