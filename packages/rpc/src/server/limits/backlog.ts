import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_TRY_LATER, exceeded } from '../../protocol/errors.ts';
import { bytesOf, countedBytes, type Message } from '../../protocol/message.ts';
import { isTokenFrame } from '../../protocol/token.ts';
import { randomName } from '../../protocol/version.ts';
import type { Waiting } from '../../session/admission.ts';
import { nextTurn } from '../../session/incoming/turns.ts';
import { Timer } from '../../session/timer.ts';

/**
 * Shares of `maxBytesInFlight`. When the unread bytes exceed them, the client is asked, its frames wait, or its
 * connection ends.
 */
const ASKED_AT = 1 / 8;
const FULL_AT = 1 / 2;
const ENDED_AT = 2;

/**
 * Time in milliseconds for which frames wait for a client that reads nothing. Its connection then ends, since it keeps
 * the object awake.
 */
const UNREAD_MS = 300_000;

/** Upper bound for the memory of a waiting frame beyond its own bytes, in bytes. */
const OVERHEAD_BYTES = 512;

/** The session whose frames the backlog holds back. */
export interface BacklogHost {
  readonly waiting: Waiting;
  /** True once the connection has ended. */
  readonly isOver: boolean;
  /** Marks the session as busy until the returned function is called. */
  busy(): () => void;
  /** Asks the client to return a name. The client can only do so once it has read everything that was sent before. */
  ask(name: string): void;
  /** Handles a frame that had to wait. */
  receive(message: Message): void;
  /** Ends the connection. */
  refuseConnection(error: RpcError, code?: number): void;
}

/**
 * Counts the bytes that were sent to a client and that it may not have read. The platform keeps them in memory and does
 * not report how many they are, so the server asks the client now and then. While the client does not read, nothing
 * more runs for it and its frames wait here, in order. They also wait for a new token, and while `reauthenticate`
 * identifies the caller.
 */
export class Backlog {
  readonly #host: BacklogHost;
  readonly #max: number;
  /** Number of bytes that the client may not have read. */
  #unread = 0;
  /** The name that the client was asked for, and the bytes that had been sent before. */
  #asked: { readonly name: string; readonly bytes: number } | undefined;
  /** Set while too many bytes are unread. */
  #drained: (PromiseWithResolvers<void> & { done(): void; readonly limit: Timer }) | undefined;
  #frames: Message[] | undefined;
  #isReleasing = false;
  /** True while `reauthenticate` identifies the caller. */
  isAsking = false;

  /** `max` is the number of bytes that may be in flight. */
  constructor(host: BacklogHost, max: number) {
    this.#host = host;
    this.#max = max;
  }

  /** Resolves when more may be sent; undefined if more may be sent now. */
  get drained(): Promise<void> | undefined {
    return this.#drained?.promise;
  }

  /**
   * True while arriving frames have to wait: for the client to read, for `reauthenticate`, or behind other waiting
   * frames.
   */
  get isHolding(): boolean {
    return this.#isHeldUp || this.#isReleasing;
  }

  get #isHeldUp(): boolean {
    return this.isAsking || this.#drained !== undefined;
  }

  /** Counts a message that was sent, and ends the connection if too many bytes are unread. */
  sent(message: Message): void {
    // Events are published to a client until it has answered the close.
    if (this.#host.isOver) return;
    const max = this.#max;
    this.#unread += countedBytes(message, max * ASKED_AT, this.#unread);
    if (this.#unread <= max * ASKED_AT) return;
    if (this.#asked === undefined) this.#ask();
    if (this.#unread > max * FULL_AT && this.#drained === undefined) {
      this.#drained = { ...Promise.withResolvers<void>(), done: this.#host.busy(), limit: new Timer() };
      this.#limitWait();
    }
    if (this.#unread > max * ENDED_AT) this.#refuse();
  }

  /** Called when the client returns a name: it has read everything that was sent before it was asked. */
  read(name: string): void {
    if (name !== this.#asked?.name) return;
    const max = this.#max;
    this.#unread -= this.#asked.bytes;
    this.#asked = undefined;
    if (this.#unread > max * ASKED_AT) this.#ask();
    if (this.#unread <= max * FULL_AT) this.end();
    this.#limitWait();
  }

  /** Ends the connection if the client reads nothing for too long. */
  #limitWait(): void {
    this.#drained?.limit.set(UNREAD_MS, () => this.#refuse());
  }

  /** Lets everything continue that waited for the client to read: the client has read enough, or is gone. */
  end(): void {
    const drained = this.#drained;
    if (drained === undefined) return;
    this.#drained = undefined;
    drained.resolve();
    // The released frames may lead to too many unread bytes again.
    void this.release();
    drained.limit.stop();
    drained.done();
  }

  /** Holds a frame until it is released, and ends the connection if the waiting frames take too much memory. */
  hold(message: Message): void {
    const { waiting } = this.#host;
    const size = bytesOf(message).length + OVERHEAD_BYTES;
    if (!waiting.fits(size))
      return this.#refuse(exceeded('maxBytesInFlight', waiting.limits, ' by waiting', 'OVERLOADED'));
    waiting.bytes += size;
    this.#frames ??= [];
    this.#frames.push(message);
  }

  /** Takes the waiting frames, which are not handled then. */
  take(): readonly Message[] {
    return this.#frames?.splice(0) ?? [];
  }

  /** Handles the waiting frames, each in a turn of its own, until frames have to wait again. */
  async release(): Promise<void> {
    const host = this.#host;
    const frames = this.#frames ?? [];
    if (frames.length === 0 || this.#isReleasing) return;
    const done = host.busy();
    while (frames.length > 0 && !this.#isHeldUp && !host.isOver) {
      const message = frames.shift()!;
      host.waiting.bytes -= bytesOf(message).length + OVERHEAD_BYTES;
      const { length } = frames;
      host.receive(message);
      if (frames.length > length) {
        // `receive` has held the frame again, for a new token. It goes back in front of the frames that came after it,
        // unless the token is one of them.
        frames.unshift(frames.pop()!);
        const token = frames.findIndex(isTokenFrame);
        if (token < 0) break;
        frames.unshift(...frames.splice(token, 1));
      }
      if (frames.length === 0) break;
      this.#isReleasing = true;
      await nextTurn();
      this.#isReleasing = false;
    }
    done();
  }

  #ask(): void {
    const name = randomName();
    this.#asked = { name, bytes: this.#unread };
    this.#host.ask(name);
  }

  #refuse(error = new RpcError('OVERLOADED', 'the client does not read what it is sent')): void {
    this.#host.refuseConnection(error, CLOSE_TRY_LATER);
  }
}
