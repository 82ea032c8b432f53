import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import type { ConnectedClient, OfferedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { ConnectionMemory } from '../../session/references/memory.ts';
import type { NotedTopics } from '../topics/subscriber.ts';

/** Room that the runtime has for an attachment. */
const ATTACHMENT_BYTES = 16_384;

/** Carried by a hibernating socket, up to 16 kB, so that its session can be made again after the object has left memory. */
interface Attachment {
  lumenizeRpc: 1;
  /** As it is where structured clone keeps all of it, else as text of the codec. */
  caller: Caller | string;
  /** Which client, and which of its connections. */
  client?: ConnectedClient | undefined;
  /** True once this side has ended the connection: what still comes over it is not to run. */
  isOver?: boolean;
  /** How many lives its session has had in which it gave ids. */
  lives?: number;
  /** How to derive references again, by their ids. */
  recipes?: Map<number, string>;
  /** The topics that it is subscribed to. */
  topics?: NotedTopics;
}

/** The other end of a socket. */
export interface AttachedClient {
  readonly caller: Caller;
  readonly client: ConnectedClient | undefined;
  readonly isOver: boolean;
  /** Topics that it is subscribed to; undefined where there are none. */
  readonly topics: NotedTopics | undefined;
}

/**
 * Attaches a new connection's caller to its socket, and which client it is where it says so.
 * @throws {RpcError} `LIMIT_EXCEEDED` where there is no room for it
 */
export function attach(socket: WebSocket, caller: Caller, client: ConnectedClient | undefined): void {
  // Properties that are set later have their room from the beginning.
  writeCaller(socket, caller, { lumenizeRpc: 1, caller: storable(caller), client, isOver: false });
}

/** Returns who is at the other end of a socket that `attach` was called with; undefined for sockets that are not the library's. */
export function attachedClient(socket: WebSocket): AttachedClient | undefined {
  const attachment = read(socket);
  if (attachment === undefined) return undefined;
  const { caller: stored, client, isOver = false, topics } = attachment;
  const caller = typeof stored === 'string' ? (parse(stored) as Caller) : stored;
  return { caller, client, isOver, topics };
}

/**
 * Attaches the caller that it is from now on.
 * @throws {RpcError} `LIMIT_EXCEEDED` where there is no room for it: then it is who it was
 */
export function attachCaller(socket: WebSocket, caller: Caller): void {
  const attachment = read(socket);
  if (attachment !== undefined) writeCaller(socket, caller, { ...attachment, caller: storable(caller) });
}

/** Notes that this side has ended a socket's connection; what else it carries is of no use any more, and may leave no room. */
export function attachEnd(socket: WebSocket): void {
  const attachment = read(socket);
  if (attachment === undefined) return;
  const { caller, client } = attachment;
  write(socket, { lumenizeRpc: 1, caller, client, isOver: true });
}

/** The tag by which an object finds the sockets of this library among its own. */
export const RPC_TAG = 'lumenize.rpc';

/** The tag by which an object finds the sockets of a client. */
export function clientTag({ name }: OfferedClient): string {
  return `lumenize.client:${name}`;
}

/** Notes the topics that a socket is subscribed to; throws where there is no room for them. */
export function attachTopics(socket: WebSocket, topics: NotedTopics): void {
  const { topics: _before, ...attachment } = read(socket)!;
  write(socket, topics.size === 0 ? attachment : { ...attachment, topics });
}

/** The tag by which an object finds a connection's socket. */
export function connectionTag(connectionId: string): string {
  return `lumenize.rpc:${connectionId}`;
}

/** More lives than a socket has. */
const COUNTED_LIVES = 2 ** 28;

/** The memory of a connection whose socket `attach` was called with. */
export class AttachedMemory implements ConnectionMemory {
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  beginLife(): number {
    const attachment = read(this.#socket)!;
    const life = attachment.lives ?? 0;
    try {
      write(this.#socket, { ...attachment, lives: life + 1 });
      return life;
    } catch {
      // There is no room to count on. A number by chance is hardly one that was given before.
      return COUNTED_LIVES + Math.floor(Math.random() * COUNTED_LIVES);
    }
  }

  remember(id: number, recipe: string): boolean {
    const attachment = read(this.#socket)!;
    try {
      write(this.#socket, { ...attachment, recipes: new Map(attachment.recipes).set(id, recipe) });
      return true;
    } catch {
      return false; // it has grown past what a socket carries
    }
  }

  recall(id: number): string | undefined {
    return read(this.#socket)?.recipes?.get(id);
  }

  forget(id: number): void {
    const attachment = read(this.#socket);
    if (attachment?.recipes?.delete(id)) write(this.#socket, attachment);
  }
}

function read(socket: WebSocket): Attachment | undefined {
  const attachment = socket.deserializeAttachment() as Attachment | null;
  return attachment?.lumenizeRpc === 1 ? attachment : undefined;
}

function write(socket: WebSocket, attachment: Attachment): void {
  socket.serializeAttachment(attachment);
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

function writeCaller(socket: WebSocket, { identity }: Caller, attachment: Attachment): void {
  try {
    write(socket, attachment);
  } catch (cause) {
    const { length } = stringify(identity);
    const message = `an identity of ${length} characters does not fit into the ${ATTACHMENT_BYTES} bytes of a socket`;
    throw new RpcError('LIMIT_EXCEEDED', message, { cause });
  }
}
