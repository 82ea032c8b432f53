import { parse, stringify } from '@lumenize/structured-clone';
import { CLOSE_EXPIRED, closeReason } from '../closes.ts';
import { RpcError } from '../errors.ts';
import type { Message } from '../types/message.ts';
import { Backlog } from './backlog.ts';
import { expiredError, isExpired, type TaggedCaller } from './callers.ts';
import type { OfferedClient } from './offer.ts';
import type { Subscriber } from './topics/topics.ts';

/** Bytes that the runtime allows for an attachment. */
const ATTACHMENT_BYTES = 16_384;

/**
 * The attachment of a hibernating socket, up to 16 kB, so that its session can be made again after the object has left
 * memory.
 */
interface Attachment {
  readonly lumenizeRpc: 3;
  /** The identity of the caller, as text of the codec; undefined if it has none. */
  readonly identity: string | undefined;
  /** What else is known of the caller. */
  readonly connectionId: string;
  readonly expiresAt: number | undefined;
  readonly tag: string | undefined;
  readonly client: OfferedClient | undefined;
  /** True once this side has ended the connection. Frames that still arrive over it do not run. */
  readonly isOver: boolean;
  /** True once the application has been told that the connection has ended. */
  readonly isTold: boolean;
  readonly topics: ReadonlyMap<string, number>;
  /** The values that the application keeps with the connection. */
  readonly kept: ReadonlyMap<string, unknown> | undefined;
}

const NO_TOPICS: ReadonlyMap<string, number> = new Map();
export const NOTHING_KEPT: ReadonlyMap<string, unknown> = new Map();

/** The socket of a client, with what it carries while the object is not in memory. */
export class ClientSocket extends Backlog implements Subscriber {
  declare readonly socket: WebSocket;
  declare readonly caller: TaggedCaller;
  declare readonly client: OfferedClient | undefined;
  declare topics: ReadonlyMap<string, number>;
  declare kept: ReadonlyMap<string, unknown>;
  /** When this side itself has last answered a heartbeat, in milliseconds since 1970: mostly the runtime does. */
  declare heardAt: number;
  /** True if it carries an attachment. That is made anew when it changes: kept, it takes memory for each socket. */
  declare private isAttached: boolean;
  /** True once this side has ended the connection. */
  declare isOver: boolean;
  /** True once the application has been told that the connection has ended. */
  declare isTold: boolean;

  constructor(socket: WebSocket, caller: TaggedCaller, client: OfferedClient | undefined, maxBytes: number) {
    super(maxBytes);
    this.socket = socket;
    this.caller = caller;
    this.client = client;
    this.isAttached = this.isOver = this.isTold = false;
    this.topics = NO_TOPICS;
    this.kept = NOTHING_KEPT;
    this.heardAt = 0;
  }

  /** Returns the client's socket; undefined for sockets that are not this library's. */
  static read(socket: WebSocket, maxBytes: number): ClientSocket | undefined {
    const attachment = socket.deserializeAttachment() as Attachment | null;
    if (attachment?.lumenizeRpc !== 3) return undefined;
    const { identity, connectionId, expiresAt, tag, client, topics, kept, isOver, isTold } = attachment;
    const caller: TaggedCaller = {
      identity: identity && parse(identity),
      connectionId,
      ...(expiresAt !== undefined && { expiresAt }),
      tag,
    };
    const known = new ClientSocket(socket, caller, client, maxBytes);
    known.topics = topics;
    // Mostly nothing is kept, and a map of its own takes memory for each socket.
    if (kept !== undefined) known.kept = kept;
    known.isOver = isOver;
    known.isTold = isTold;
    known.isAttached = true;
    return known;
  }

  /**
   * Stores what the socket carries.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there is no room for the caller
   */
  attach(): void {
    this.carry(false, false, NO_TOPICS);
    this.isAttached = true;
  }

  /** Notes that the connection has ended, and whether the application knows of that. */
  markOver(isTold = this.isTold): void {
    if (this.isAttached) this.carry(true, isTold, NO_TOPICS);
  }

  note(topics: ReadonlyMap<string, number>): void {
    if (this.isAttached) this.carry(this.isOver, this.isTold, topics);
    this.topics = topics;
  }

  /**
   * Keeps values with the connection.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there is no room for them
   */
  keep(kept: ReadonlyMap<string, unknown>): void {
    if (this.isAttached) this.carry(this.isOver, this.isTold, this.topics, kept);
    this.kept = kept;
  }

  sendEvents(message: Message): void {
    if (isExpired(this.caller)) this.close(CLOSE_EXPIRED, closeReason(expiredError()));
    else if (this.session !== undefined) this.session.signal(message);
    else this.send(message);
  }

  private carry(isOver: boolean, isTold: boolean, topics: Attachment['topics'], kept = this.kept): void {
    const { caller, client } = this;
    const { connectionId, expiresAt, tag } = caller;
    const identity = caller.identity === undefined ? undefined : stringify(caller.identity);
    const attachment: Attachment = {
      lumenizeRpc: 3,
      identity,
      connectionId,
      expiresAt,
      tag,
      client,
      isOver,
      isTold,
      topics,
      kept: kept.size > 0 ? kept : undefined,
    };
    try {
      this.socket.serializeAttachment(attachment);
    } catch (cause) {
      const more = kept.size > 0 ? ', with what is kept there' : '';
      const message = `an identity of ${identity?.length ?? 0} characters does not fit into the ${ATTACHMENT_BYTES} bytes of a socket`;
      throw new RpcError('LIMIT_EXCEEDED', message + more, { cause });
    }
    this.isOver = isOver;
    this.isTold = isTold;
  }

  protected override write(message: Message): void {
    try {
      this.socket.send(message);
    } catch {
      // The client is gone, and its calls settle on its side.
    }
  }

  close(code: number, reason: string): void {
    // More frames may arrive until the client answers the close, and the object may leave memory meanwhile.
    this.markOver();
    this.socket.close(code, reason);
  }
}
