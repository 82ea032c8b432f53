import { CLOSE_TRY_LATER, closeReason } from '../closes.ts';
import { RpcError } from '../errors.ts';
import { randomName } from '../peer/random-name.ts';
import { json } from '../protocol.ts';
import type { Transport } from '../transport/transport.ts';
import type { Message } from '../types/message.ts';
import type { Session } from './session.ts';

/** Shares of `maxBytesInFlight`: when more is unread, the client is asked, its calls wait, or its connection ends. */
const ASKED_AT = 1 / 8;
const FULL_AT = 1 / 2;
const ENDED_AT = 2;

/** How long calls wait for a client that reads nothing, in milliseconds: it keeps the object awake. */
const UNREAD_MS = 300_000;

/**
 * A transport that counts what the client may not have read. The platform keeps it in memory, and does not say how much
 * it is. So the server asks the client now and then, who can only answer when it has read everything before.
 */
export abstract class Backlog implements Transport {
  /** The session whose messages it carries, if it is in memory: its calls wait for the client. */
  declare session: Session | undefined;
  declare private readonly max: number;
  declare private unread: number;
  /** The name that the client was asked for, and the bytes that were sent before. */
  declare private asked: { readonly name: string; readonly bytes: number } | undefined;
  declare private timer: ReturnType<typeof setTimeout> | null;
  /** The memory of what has arrived and waits until the client has read. */
  declare private held: number;

  /** `max` is the number of bytes that may be in flight. */
  constructor(max: number) {
    this.max = max;
    this.unread = this.held = 0;
    this.session = this.asked = undefined;
    this.timer = null;
  }

  /** Sends a message, whatever the client has read. */
  protected abstract write(message: Message): void;
  abstract close(code: number, reason: string): void;

  send(message: Message): void {
    const { max } = this;
    // Before it is written: a port takes the bytes away.
    this.unread += bytesOf(message, max * ASKED_AT);
    this.write(message);
    if (this.unread <= max * ASKED_AT) return;
    if (this.unread > max * FULL_AT && this.timer === null) {
      this.session?.turns.hold(true);
      this.limit();
    }
    if (this.unread > max * ENDED_AT) this.refuse();
    else if (this.asked === undefined) this.ask();
  }

  /** True while calls wait for the client. */
  get isFull(): boolean {
    return this.timer !== null;
  }

  /** Notes that something waits for its turn. A client that reads nothing, and goes on to send, has to go. */
  wait(cost: number): void {
    if (!this.isFull) return;
    // Whatever the size of the last one: messages have limits of their own.
    if (this.held > this.max * ENDED_AT) this.refuse();
    this.held += cost;
  }

  /** Called when the client says what it was asked for. */
  read(name: unknown): void {
    if (this.asked === undefined || name !== this.asked.name) return;
    const { max } = this;
    this.unread -= this.asked.bytes;
    this.asked = undefined;
    if (this.unread > max * ASKED_AT) this.ask();
    if (this.timer === null) return;
    clearTimeout(this.timer!);
    this.timer = null;
    this.held = 0;
    if (this.unread > max * FULL_AT) this.limit();
    else this.session?.turns.hold(false);
  }

  /** Notes that the connection has ended. */
  over(): void {
    clearTimeout(this.timer!);
    this.unread = Number.NEGATIVE_INFINITY;
  }

  private ask(): void {
    this.asked = { name: randomName(), bytes: this.unread };
    this.write(json({ read: this.asked.name }));
  }

  private limit(): void {
    this.timer = setTimeout(() => this.refuse(), UNREAD_MS);
  }

  private refuse(): void {
    const error = new RpcError('OVERLOADED', 'the client does not read what it is sent');
    this.over();
    if (this.session !== undefined) this.session.broken(error, CLOSE_TRY_LATER);
    else this.close(CLOSE_TRY_LATER, closeReason(error));
  }
}

/** The bytes of a message. A character takes up to three; those of a text that may be large are counted. */
function bytesOf(message: Message, large: number): number {
  if (typeof message !== 'string') return message.length;
  const most = message.length * 3;
  return most > large ? new TextEncoder().encode(message).length : most;
}

/** Counts what is sent over another transport. */
export class Counted extends Backlog {
  private readonly transport: Transport;

  constructor(transport: Transport, max: number) {
    super(max);
    this.transport = transport;
  }

  protected override write(message: Message): void {
    this.transport.send(message);
  }

  override close(code: number, reason: string): void {
    this.transport.close(code, reason);
  }
}
