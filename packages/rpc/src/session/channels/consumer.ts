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
import { Channel, type ChannelTable } from './channel.ts';

export type Chunk = IteratorResult<unknown, unknown>;

interface Read {
  resolve(chunk: Chunk): void;
  reject(error: unknown): void;
  /** What must not be collected while someone waits. */
  keep: unknown;
}

const DONE: Chunk = { done: true, value: undefined };

/**
 * The end of a channel that chunks go to. It gives back the credit of what was read when that is half a window, and
 * doubles the window when it waits for a producer that has no credit.
 */
export class Consumer extends Channel {
  #chunks: { value: unknown; cost: number }[] = [];
  #reads: Read[] = [];
  /** What comes behind the last chunk. */
  #ending: { chunk: Chunk } | { error: unknown } | undefined;
  /** What waits here to be read. */
  #waitingBytes = 0;
  #window = 0;
  /** What the producer may still send. */
  #allowance = FIRST_WINDOW;
  /** What was read and not given back. */
  #consumed = 0;
  #lastCost = 0;
  #isBlocked = false;

  constructor(ref: number, table: ChannelTable, name: string) {
    super(ref, table, name);
    if (!this.isSingle) this.#widen(FIRST_WINDOW);
  }

  /** Returns the next chunk, as a promise where it has to be waited for; throws or rejects once where the producer failed. */
  next(keep?: unknown): Chunk | Promise<Chunk> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#waits(-chunk.cost);
      this.#take(chunk.cost);
      if (this.#ending !== undefined && this.#chunks.length === 0) this.release();
      return { done: false, value: chunk.value };
    }
    const ending = this.#ending;
    if (ending === undefined) {
      return new Promise((resolve, reject) => {
        this.#reads.push({ resolve, reject, keep });
        this.#starve();
      });
    }
    this.#ending = { chunk: DONE };
    this.#waits(-this.#waitingBytes);
    if ('error' in ending) throw ending.error;
    return ending.chunk;
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
    this.#end({ chunk: DONE });
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
        return this.#end({ chunk: { done: true, value: content } }, cost, this.isAcknowledged);
      case FAIL:
        return this.#end({ error: readFailure(content) }, cost);
      default:
        throw malformedFrame(`what a producer does not say: ${kind}`);
    }
  }

  lost(reason: unknown): void {
    this.#end({ error: reason });
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
    // What is done needs no credit.
    if (this.isSingle) this.leave();
    const raise = this.raiseFor(value);
    this.#widen(raise);
    this.#allowance += raise - cost;
    this.#lastCost = cost;
    this.#isBlocked = false;
    const read = this.#reads.shift();
    if (read === undefined) {
      if (!this.table.waiting.fits(cost)) return this.abandon(this.#tooMuch());
      this.#waits(cost);
      this.#chunks.push({ value, cost });
    } else {
      read.resolve({ done: false, value });
      this.#take(cost);
    }
    if (this.isSingle) this.#end({ chunk: DONE });
  }

  #take(cost: number): void {
    this.#consumed += cost;
    if (this.#consumed * 2 >= this.#window) this.#give(this.#consumed);
  }

  /** Gives a producer that has to wait for credit while a read waits for a chunk a larger window. */
  #starve(): void {
    if (!this.#isBlocked || this.#reads.length === 0) return;
    this.#isBlocked = false;
    const { waiting, maxWindow } = this.table;
    const larger = Math.min(maxWindow, 2 * Math.max(this.#window, this.#lastCost));
    // All windows together are no more than what may wait.
    const growth = Math.max(0, Math.min(larger - this.#window, waiting.max - waiting.windows));
    this.#widen(growth);
    this.#give(this.#consumed + growth);
  }

  #give(credit: number): void {
    if (!this.isOpen || credit === 0) return;
    this.#consumed = 0;
    this.#allowance += credit;
    this.send(CREDIT, credit);
  }

  protected override release(): void {
    super.release();
    this.#widen(-this.#window);
  }

  #widen(by: number): void {
    this.#window += by;
    this.table.waiting.windows += by;
  }

  #waits(bytes: number): void {
    this.#waitingBytes += bytes;
    this.table.waiting.bytes += bytes;
  }

  #clear(): void {
    this.#chunks = [];
    this.#waits(-this.#waitingBytes);
  }

  #tooMuch(): RpcError {
    const { max } = this.table.waiting;
    return new RpcError('LIMIT_EXCEEDED', `maxBytesInFlight of ${max} exceeded by what is not read`);
  }

  #end(ending: { chunk: Chunk } | { error: unknown }, cost = 0, isAwaited = false): void {
    if (this.#ending === undefined) {
      const [first, ...others] = this.#reads;
      this.#reads = [];
      this.#ending = first === undefined ? ending : { chunk: DONE };
      if ('error' in ending) first?.reject(ending.error);
      else first?.resolve(ending.chunk);
      for (const read of others) read.resolve(DONE);
      if (first === undefined && cost > 0) {
        if (this.table.waiting.fits(cost)) this.#waits(cost);
        else this.#ending = { error: this.#tooMuch() };
      }
    } else if (!('error' in ending)) this.#ending = ending;
    if (isAwaited) return;
    this.leave();
    if (this.#chunks.length === 0) this.release();
  }
}
