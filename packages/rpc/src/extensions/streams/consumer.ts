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
import { malformedFrame } from '../../protocol/errors.ts';
import { type Waiting, waitingOf } from '../../session/admission.ts';
import { Channel, type ChannelKind, type ChannelTable } from './channel.ts';

export type Chunk = IteratorResult<unknown, unknown>;

/** A chunk that has arrived, or what comes behind the last one: its end, or why there is none. */
interface Item {
  readonly chunk: Chunk;
  readonly failure?: readonly [unknown];
  readonly cost: number;
}

interface Read {
  resolve(chunk: Chunk): void;
  reject(error: unknown): void;
  /** Keeps this from being collected while someone waits. */
  keep: unknown;
}

const DONE: Chunk = { done: true, value: undefined };
const LAST: Item = { chunk: DONE, cost: 0 };

/**
 * The end of a channel that chunks go to. It gives back the credit of what was read when that is half a window, and
 * doubles the window when it waits for a producer that has no credit.
 */
export class Consumer extends Channel {
  readonly #waiting: Waiting;
  /** Items that arrived and were not read yet. */
  #items: Item[] = [];
  #reads: Read[] = [];
  /** True once there is nothing more to come behind the items. */
  #hasEnded = false;
  #window = 0;
  /** Credit left to the producer. */
  #allowance = FIRST_WINDOW;
  /** Credit of what was read and not given back yet. */
  #consumed = 0;
  #lastCost = 0;
  #isBlocked = false;

  constructor(ref: number, table: ChannelTable, kind: ChannelKind) {
    super(ref, table, kind);
    this.#waiting = waitingOf(table.peer);
    if (!kind.isSingle) this.#widen(FIRST_WINDOW);
  }

  /** Returns the next chunk, as a promise where it has to be waited for; throws or rejects once where the producer failed. */
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
      this.#starve();
    });
  }

  /** Wants no more; `failure` is a list of the reason, which is passed on to the producer. */
  stop(...failure: [reason?: unknown]): void {
    if (this.isOpen) {
      if (failure.length > 0) this.sendFailure(STOP, failure[0]);
      else this.send(STOP);
    }
    this.drop();
  }

  /** Ends without telling the producer, which knows. */
  drop(): void {
    this.#clear();
    this.#end(LAST);
  }

  /** Tells the producer that everything was handled. */
  acknowledge(): void {
    if (this.isOpen) this.send(END);
    this.drop();
  }

  receive(kind: number, content: unknown, cost: number): void {
    switch (kind) {
      case DATA:
        return this.#receiveChunk(content, chunkCost(cost));
      case BLOCKED:
        this.#isBlocked = true;
        return this.#starve();
      case END:
        return this.#end({ chunk: { done: true, value: content }, cost }, this.kind.isSink);
      case FAIL:
        return this.#end({ chunk: DONE, failure: [readFailure(content)], cost });
      default:
        throw malformedFrame(`what a producer does not say: ${kind}`);
    }
  }

  lost(reason: unknown): void {
    this.#end({ chunk: DONE, failure: [reason], cost: 0 });
  }

  abandon(reason: unknown): void {
    if (this.isOpen) this.sendFailure(STOP, reason);
    this.#clear();
    this.lost(reason);
  }

  #receiveChunk(value: unknown, cost: number): void {
    if (this.#allowance <= 0) {
      throw new RpcError('LIMIT_EXCEEDED', 'more was sent over a channel than its credit allows');
    }
    const { isSingle } = this.kind;
    // What is done needs no credit.
    if (isSingle) this.leave();
    const raise = this.raiseFor(value);
    this.#widen(raise);
    this.#allowance += raise - cost;
    this.#lastCost = cost;
    this.#isBlocked = false;
    this.#add({ chunk: { done: false, value }, cost });
    if (isSingle) this.#end(LAST);
  }

  /** Hands an item to who waits for it, or has it wait. */
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
      const message = `maxBytesInFlight of ${this.#waiting.max} exceeded by what is not read`;
      this.#hasEnded = false;
      this.abandon(new RpcError('LIMIT_EXCEEDED', message));
    }
  }

  /** Takes an item: gives its credit back when there is enough of it. */
  #take({ chunk, failure, cost }: Item): Chunk {
    if (failure !== undefined) throw failure[0];
    if (!chunk.done) {
      this.#consumed += cost;
      if (this.#consumed * 2 >= this.#window) this.#give(this.#consumed);
    }
    return chunk;
  }

  /** Gives a producer that has to wait for credit while a read waits for a chunk a larger window. */
  #starve(): void {
    if (!this.#isBlocked || this.#reads.length === 0) return;
    this.#isBlocked = false;
    const larger = Math.min(this.maxWindow, 2 * Math.max(this.#window, this.#lastCost));
    // All windows together are no more than what may wait.
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

  /** Ends behind what waits; `isAwaited`: the producer waits to hear that all of it was handled. */
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

  /** Lets go of it when all chunks were read: what is behind them needs nobody. */
  #releaseRead(): void {
    if (!this.#hasEnded || this.#items.length > 1) return;
    this.release();
    this.#widen(-this.#window);
  }
}
