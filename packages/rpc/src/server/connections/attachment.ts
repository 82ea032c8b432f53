import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import type { ConnectedClient, OfferedClient } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { ConnectionMemory } from '../../session/references/memory.ts';
import type { NotedTopics } from '../topics/subscriber.ts';

/** What the runtime has room for. */
const ATTACHMENT_BYTES = 16_384;

/** What a hibernating socket carries, up to 16 kB, so that its session can be made again after the object has left memory. */
interface Attachment {
  lumenizeRpc: 1;
  caller: string;
  /** Which client, and which of its connections. */
  client?: ConnectedClient | undefined;
  /** Whether this side has ended the connection: what still comes over it is not to run. */
  isOver?: boolean;
  /** How many lives its session has had in which it gave ids. */
  lives?: number;
  /** How to derive references again, by their ids. */
  recipes?: Map<number, string>;
  /** What it is subscribed to. */
  topics?: NotedTopics;
}

/** What is known of the other end of a socket. */
export interface AttachedClient {
  readonly caller: Caller;
  readonly client: ConnectedClient | undefined;
  readonly isOver: boolean;
  /** What it is subscribed to; undefined where that is nothing. */
  readonly topics: NotedTopics | undefined;
}

/**
 * Attaches a new connection's caller to its socket, and which client it is where it says so.
 * @throws {RpcError} `LIMIT_EXCEEDED` where there is no room for it
 */
export function attach(socket: WebSocket, caller: Caller, client: ConnectedClient | undefined): void {
  // What is said later has its room from the beginning.
  writeCaller(socket, caller, { lumenizeRpc: 1, caller: stringify(caller), client, isOver: false });
}

/** Returns who is at the other end of a socket that `attach` was called with; undefined for sockets that are not the library's. */
export function attachedClient(socket: WebSocket): AttachedClient | undefined {
  const attachment = read(socket);
  if (attachment === undefined) return undefined;
  const { caller, client, isOver = false, topics } = attachment;
  return { caller: parse(caller) as Caller, client, isOver, topics };
}

/**
 * Attaches the caller that it is from now on.
 * @throws {RpcError} `LIMIT_EXCEEDED` where there is no room for it: then it is who it was
 */
export function attachCaller(socket: WebSocket, caller: Caller): void {
  const attachment = read(socket);
  if (attachment !== undefined) writeCaller(socket, caller, { ...attachment, caller: stringify(caller) });
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

/** Notes what a socket is subscribed to; throws where there is no room for it. */
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

function writeCaller(socket: WebSocket, { identity }: Caller, attachment: Attachment): void {
  try {
    write(socket, attachment);
  } catch (cause) {
    const { length } = stringify(identity);
    const message = `an identity of ${length} characters does not fit into the ${ATTACHMENT_BYTES} bytes of a socket`;
    throw new RpcError('LIMIT_EXCEEDED', message, { cause });
  }
}
