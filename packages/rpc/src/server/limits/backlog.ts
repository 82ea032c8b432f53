import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_TRY_LATER } from '../../protocol/errors.ts';
import { bytesOf, countedBytes, type Message } from '../../protocol/message.ts';
import { randomName } from '../../protocol/version.ts';
import type { Waiting } from '../../session/admission.ts';
import { nextTurn } from '../../session/incoming/turns.ts';

/** Shares of `maxBytesInFlight`: at so much that a client may not have read, it is asked; its frames wait; its connection ends. */
const ASKED_AT = 1 / 8;
const FULL_AT = 1 / 2;
const ENDED_AT = 2;

/** Bytes that a frame which waits takes beside its own, at most. */
const OVERHEAD_BYTES = 512;

/** The session whose frames are held back. */
export interface BacklogHost {
  readonly waiting: Waiting;
  /** True once the connection has ended. */
  readonly isOver: boolean;
  /** Notes that something is going on, until what it returns is called. */
  busy(): () => void;
  /** Asks the client for a name, which it can only know when it has read all that was sent before. */
  ask(name: string): void;
  /** Handles a frame that had to wait. */
  receive(message: Message): void;
  /** Ends the connection. */
  refuseConnection(error: RpcError, code?: number): void;
}

/**
 * Counts what was sent to a client and is not known to have been read: the platform keeps it in memory, and does not say how much that
 * is. So the client is asked, now and then; where it reads no more, nothing more runs for it, and its frames wait here, in order. They
 * wait, too, while it is being found out who the caller is.
 */
export class Backlog {
  readonly #host: BacklogHost;
  readonly #max: number;
  /** Bytes that may not have been read. */
  #unread = 0;
  /** The name that the client was asked for, and the bytes that had been sent before. */
  #asked: { readonly name: string; readonly bytes: number } | undefined;
  /** While it is too much. */
  #drained: (PromiseWithResolvers<void> & { done(): void }) | undefined;
  #frames: Message[] | undefined;
  #isReleasing = false;
  /** True while it is being found out who the caller is. */
  isAsking = false;

  /** `max` is how many bytes may be in flight. */
  constructor(host: BacklogHost, max: number) {
    this.#host = host;
    this.#max = max;
  }

  /** Resolves when more may be sent; undefined where that is so already. */
  get drained(): Promise<void> | undefined {
    return this.#drained?.promise;
  }

  /** True while frames that arrive have to wait: for something, or behind others that do. */
  get isHolding(): boolean {
    return this.#isHeldUp || this.#isReleasing;
  }

  get #isHeldUp(): boolean {
    return this.isAsking || this.#drained !== undefined;
  }

  /** Counts what was sent, and ends the connection where that is too much. */
  sent(message: Message): void {
    const max = this.#max;
    this.#unread += countedBytes(message, max * ASKED_AT, this.#unread);
    if (this.#unread <= max * ASKED_AT) return;
    if (this.#asked === undefined) this.#ask();
    if (this.#unread > max * FULL_AT && this.#drained === undefined) {
      this.#drained = { ...Promise.withResolvers<void>(), done: this.#host.busy() };
    }
    if (this.#unread > max * ENDED_AT) this.#refuse('the client does not read what it is sent');
  }

  /** Notes that the client has read what was sent before it was asked for this name. */
  read(name: string): void {
    if (name !== this.#asked?.name) return;
    const max = this.#max;
    this.#unread -= this.#asked.bytes;
    this.#asked = undefined;
    if (this.#unread > max * ASKED_AT) this.#ask();
    if (this.#unread <= max * FULL_AT) this.end();
  }

  /** Lets all go on that had to wait for the client to read: it has, or is gone. */
  end(): void {
    const drained = this.#drained;
    if (drained === undefined) return;
    this.#drained = undefined;
    drained.resolve();
    // What goes on may be too much again.
    void this.release();
    drained.done();
  }

  /** Has a frame wait, and ends the connection where too much does. */
  hold(message: Message): void {
    const { waiting } = this.#host;
    const size = bytesOf(message).length + OVERHEAD_BYTES;
    if (!waiting.fits(size)) return this.#refuse(`maxBytesInFlight of ${this.#max} exceeded by waiting`);
    waiting.bytes += size;
    this.#frames ??= [];
    this.#frames.push(message);
  }

  /** Handles what has waited, each frame in a turn of its own, until it has to wait again. */
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
        // It has to wait on, before all that came after it.
        frames.unshift(frames.pop()!);
        break;
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

  #refuse(message: string): void {
    this.#host.refuseConnection(new RpcError('OVERLOADED', message), CLOSE_TRY_LATER);
  }
}
