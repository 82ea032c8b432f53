import { RpcError } from '../../errors/rpc-error.ts';
import {
  BLOCKED,
  CREDIT,
  chunkCost,
  DATA,
  END,
  FAIL,
  FIRST_WINDOW,
  readFailure,
  STOP,
} from '../../protocol/channel.ts';
import { exceeded } from '../../protocol/errors.ts';
import { unknownSignal } from '../../protocol/signal.ts';
import { type Waiting, waitingOf } from '../../session/admission.ts';
import { Channel, type ChannelKind, type ChannelTable } from './channel.ts';

export type Chunk = IteratorResult<unknown, unknown>;

/** A chunk that has arrived, or the item after the last chunk: the end of the stream, or its failure. */
interface Item {
  readonly chunk: Chunk;
  readonly failure?: readonly [unknown];
  readonly cost: number;
}

interface Read {
  resolve(chunk: Chunk): void;
  reject(error: unknown): void;
  /** An object that must not be garbage collected while the read waits. */
  keep: unknown;
}

const DONE: Chunk = { done: true, value: undefined };
const LAST: Item = { chunk: DONE, cost: 0 };

/**
 * The receiving end of a channel. It gives credit back once the chunks that were read amount to half a window. It
 * doubles the window when a read waits for a producer that has no credit.
 */
export class Consumer extends Channel {
  readonly #waiting: Waiting;
  /** Items that have arrived and were not read yet. */
  #items: Item[] = [];
  #reads: Read[] = [];
  /** True once nothing more will arrive after the items. */
  #hasEnded = false;
  #window = 0;
  /** Credit that the producer has left, in bytes. */
  #allowance = FIRST_WINDOW;
  /** Credit of chunks that were read, and that was not given back yet, in bytes. */
  #consumed = 0;
  #lastCost = 0;
  #isBlocked = false;

  constructor(ref: number, table: ChannelTable, kind: ChannelKind) {
    super(ref, table, kind);
    this.#waiting = waitingOf(table.peer);
    if (!kind.isSingle) this.#widen(FIRST_WINDOW);
  }

  /**
   * Returns the next chunk, or a promise of it if it has not arrived. Throws or rejects once if the producer failed.
   */
  next(keep?: unknown): Chunk | Promise<Chunk> {
    const item = this.#items.shift();
    if (item !== undefined) {
      this.#waiting.bytes -= item.cost;
      this.#releaseRead();
      return this.#take(item);
    }
    if (this.#hasEnded) return DONE;
    return new Promise((resolve, reject) => {
      this.#reads.push({ resolve, reject, keep });
      this.#growWindowIfStarved();
    });
  }

  /** Tells the producer to stop, and drops the unread chunks. `failure` may contain a reason for the producer. */
  stop(...failure: [reason?: unknown]): void {
    if (this.isOpen) {
      if (failure.length > 0) this.sendFailure(STOP, failure[0]);
      else this.send(STOP);
    }
    this.drop();
  }

  /** Ends the channel without telling the producer, which already knows. */
  drop(): void {
    this.#clear();
    this.#end(LAST);
  }

  /** Tells the producer that all chunks were handled. */
  acknowledge(): void {
    if (this.isOpen) this.send(END);
    this.drop();
  }

  handle(kind: number, content: unknown, cost: number): void {
    switch (kind) {
      case DATA:
        return this.#handleChunk(content, chunkCost(cost));
      case BLOCKED:
        this.#isBlocked = true;
        return this.#growWindowIfStarved();
      case END:
        return this.#end({ chunk: { done: true, value: content }, cost }, this.kind.isSink);
      case FAIL:
        return this.#end({ chunk: DONE, failure: [readFailure(content)], cost });
      default:
        throw unknownSignal([kind]);
    }
  }

  destroy(reason: unknown): void {
    this.#end({ chunk: DONE, failure: [reason], cost: 0 });
  }

  abandon(reason: unknown): void {
    if (this.isOpen) this.sendFailure(STOP, reason);
    this.#clear();
    this.destroy(reason);
  }

  #handleChunk(value: unknown, cost: number): void {
    if (this.#allowance <= 0) {
      throw new RpcError('LIMIT_EXCEEDED', 'more was sent over a channel than its credit allows');
    }
    const { isSingle } = this.kind;
    // No credit is given back for the only chunk.
    if (isSingle) this.leave();
    const raise = this.raiseFor(value);
    this.#widen(raise);
    this.#allowance += raise - cost;
    this.#lastCost = cost;
    this.#isBlocked = false;
    this.#add({ chunk: { done: false, value }, cost });
    if (isSingle) this.#end(LAST);
  }

  /** Passes an item to the first read that waits for it. Without one, keeps the item until it is read. */
  #add(item: Item): void {
    const { cost } = item;
    const read = this.#reads.shift();
    if (read !== undefined) {
      if (item.failure === undefined) read.resolve(this.#take(item));
      else read.reject(item.failure[0]);
    } else if (cost === 0 || this.#waiting.fits(cost)) {
      this.#waiting.bytes += cost;
      this.#items.push(item);
    } else {
      this.#hasEnded = false;
      this.abandon(exceeded('maxBytesInFlight', this.#waiting.limits, ' by what is not read'));
    }
  }

  /** Returns the chunk of an item. Gives back credit once there is enough of it. */
  #take({ chunk, failure, cost }: Item): Chunk {
    if (failure !== undefined) throw failure[0];
    if (!chunk.done) {
      this.#consumed += cost;
      if (this.#consumed * 2 >= this.#window) this.#give(this.#consumed);
    }
    return chunk;
  }

  /** Enlarges the window of a producer that waits for credit while a read waits for a chunk. */
  #growWindowIfStarved(): void {
    if (!this.#isBlocked || this.#reads.length === 0) return;
    this.#isBlocked = false;
    const larger = Math.min(this.maxWindow, 2 * Math.max(this.#window, this.#lastCost));
    // All windows together are never larger than the memory that may wait.
    const growth = Math.max(0, Math.min(larger - this.#window, this.#waiting.max - this.#waiting.windows));
    this.#widen(growth);
    this.#give(this.#consumed + growth);
  }

  #give(credit: number): void {
    if (!this.isOpen || credit === 0) return;
    this.#consumed = 0;
    this.#allowance += credit;
    this.send(CREDIT, credit);
  }

  #widen(by: number): void {
    this.#window += by;
    this.#waiting.windows += by;
  }

  #clear(): void {
    for (const { cost } of this.#items.splice(0)) this.#waiting.bytes -= cost;
  }

  /**
   * Ends the channel after the items that wait. With `isAwaited` the channel stays open, because the producer waits
   * until all chunks were handled.
   */
  #end(item: Item, isAwaited = false): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#add(item);
      for (const read of this.#reads.splice(0)) read.resolve(DONE);
    }
    if (isAwaited) return;
    this.leave();
    this.#releaseRead();
  }

  /**
   * Releases the object and the window when the channel is closed and all chunks were read. Nobody has to wait for the
   * item after them.
   */
  #releaseRead(): void {
    if (this.isOpen || this.#items.length > 1) return;
    this.release();
    this.#widen(-this.#window);
  }
}
