import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_TRY_LATER } from '../../protocol/close-codes.ts';
import { bytesOf, countedBytes, type Message } from '../../protocol/message.ts';
import { randomName } from '../../protocol/random-name.ts';
import { nextTurn } from '../../session/incoming/turns.ts';
import type { Waiting } from '../../session/waiting.ts';

/** Shares of `maxBytesInFlight`: at so much that a client may not have read, it is asked; its frames wait; its connection ends. */
const ASKED_AT = 1 / 8;
const FULL_AT = 1 / 2;
const ENDED_AT = 2;

/** The session whose frames are held back. */
export interface HoldingHost {
  readonly waiting: Waiting;
  /** True while frames have to wait. */
  readonly isHeldUp: boolean;
  /** True once the connection has ended. */
  readonly isOver: boolean;
  /** Notes that something is going on, until what it returns is called. */
  busy(): () => void;
  /** Handles a frame that had to wait. */
  receive(message: Message): void;
  /** Handles all frames that had to wait. */
  goOn(): void;
  /** Ends the connection. */
  refuseConnection(error: RpcError, code: number): void;
}

/**
 * Counts what was sent to a client and is not known to have been read: the platform keeps it in memory, and does not say how much that
 * is. So the client is asked, now and then; where it reads no more, nothing more runs for it.
 */
export class Backlog {
  readonly #host: HoldingHost;
  readonly #askClient: (name: string) => void;
  readonly #max: number;
  #bytes = 0;
  /** The name that the client was asked for, and the bytes that had been sent before. */
  #asked: { readonly name: string; readonly bytes: number } | undefined;
  /** While it is too much. */
  #drained: (PromiseWithResolvers<void> & { done(): void }) | undefined;

  /** `ask` asks the client for a name, which it can only know when it has read all that was sent before. */
  constructor(host: HoldingHost, ask: (name: string) => void) {
    this.#host = host;
    this.#askClient = ask;
    this.#max = host.waiting.max;
  }

  /** Resolves when more may be sent; undefined where that is so already. */
  get drained(): Promise<void> | undefined {
    return this.#drained?.promise;
  }

  /** Counts what was sent, and ends the connection where that is too much. */
  sent(message: Message): void {
    this.#bytes += countedBytes(message, this.#max * ASKED_AT, this.#bytes);
    if (this.#bytes <= this.#max * ASKED_AT) return;
    if (this.#asked === undefined) this.#ask();
    if (this.#bytes > this.#max * FULL_AT && this.#drained === undefined) {
      this.#drained = { ...Promise.withResolvers<void>(), done: this.#host.busy() };
    }
    if (this.#bytes <= this.#max * ENDED_AT) return;
    this.#host.refuseConnection(
      new RpcError('OVERLOADED', 'the client does not read what it is sent'),
      CLOSE_TRY_LATER,
    );
  }

  /** Notes that the client has read what was sent before it was asked for this name. */
  read(name: string): void {
    if (name !== this.#asked?.name) return;
    this.#bytes -= this.#asked.bytes;
    this.#asked = undefined;
    if (this.#bytes > this.#max * ASKED_AT) this.#ask();
    if (this.#bytes <= this.#max * FULL_AT) this.end();
  }

  /** Lets all go on that had to wait: the client has read, or is gone. */
  end(): void {
    const drained = this.#drained;
    if (drained === undefined) return;
    this.#drained = undefined;
    drained.resolve();
    // What goes on may be too much again.
    this.#host.goOn();
    drained.done();
  }

  #ask(): void {
    const name = randomName();
    this.#asked = { name, bytes: this.#bytes };
    this.#askClient(name);
  }
}

/** Bytes that a frame which waits takes beside its own, at most. */
const OVERHEAD_BYTES = 512;

/** Frames that have arrived and may not be handled yet, in order. */
export class HeldFrames {
  readonly #host: HoldingHost;
  readonly #frames: Message[] = [];
  #isReleasing = false;

  constructor(host: HoldingHost) {
    this.#host = host;
  }

  /** Has a frame wait, and ends the connection where too much does. */
  hold(message: Message): void {
    const { waiting } = this.#host;
    const size = bytesOf(message).length + OVERHEAD_BYTES;
    if (waiting.fits(size)) {
      waiting.bytes += size;
      this.#frames.push(message);
      return;
    }
    const error = new RpcError('OVERLOADED', `maxBytesInFlight of ${waiting.max} exceeded by waiting`);
    this.#host.refuseConnection(error, CLOSE_TRY_LATER);
  }

  /** True while some of it is handled and some waits: frames that arrive then come behind. */
  get isReleasing(): boolean {
    return this.#isReleasing;
  }

  /** Handles what has waited, each frame in a turn of its own, until it has to wait again. */
  async release(): Promise<void> {
    if (this.#frames.length === 0 || this.#isReleasing) return;
    const host = this.#host;
    const done = host.busy();
    while (this.#frames.length > 0 && !host.isHeldUp && !host.isOver) {
      const message = this.#frames.shift()!;
      host.waiting.bytes -= bytesOf(message).length + OVERHEAD_BYTES;
      const { length } = this.#frames;
      host.receive(message);
      if (this.#frames.length > length) {
        // It has to wait on, before all that came after it.
        this.#frames.unshift(this.#frames.pop()!);
        break;
      }
      if (this.#frames.length === 0) break;
      this.#isReleasing = true;
      await nextTurn();
      this.#isReleasing = false;
    }
    done();
  }
}
