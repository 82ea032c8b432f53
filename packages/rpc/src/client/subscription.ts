import { decode } from '@lumenize/structured-clone';
import type { RpcError } from '../errors/rpc-error.ts';
import type { EventsFrame } from '../protocol/topic.ts';
import type { TopicItem } from '../protocol/topic-item.ts';

/** A frame of events, until all of them have been gone through. */
export interface Delivery {
  left: number;
  readonly cost: number;
  /** Told of the cost then. */
  readonly feed: { consumed(cost: number): void };
}

/** What has arrived and was not gone through; without an event a gap. */
interface Waiting {
  readonly sequence: number;
  readonly missed?: number;
  readonly event?: Uint8Array;
  readonly delivery?: Delivery;
}

type Item = IteratorResult<TopicItem<unknown>, undefined>;

interface Read {
  resolve(item: Item): void;
  reject(error: unknown): void;
  /** What must not be collected while someone waits. */
  readonly keep: unknown;
}

const DONE: Item = { done: true, value: undefined };

/** The state of a subscription: what has arrived, and who waits for more. */
export class Inbox {
  readonly topic: string;
  /** The number of the last event that has arrived, or that is known to be missing. */
  received: number;
  /** The number of the last event that was gone through. */
  sequence: number;
  readonly #left: () => void;
  #waiting: Waiting[] = [];
  #reads: Read[] = [];
  #isOpen = true;
  #error: { reason: unknown } | undefined;

  /** `left` is called when it wants no more events. */
  constructor(topic: string, last: number, missed: number, left: () => void) {
    this.topic = topic;
    this.received = this.sequence = last;
    this.#left = left;
    if (missed > 0) this.#add({ sequence: last, missed });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Takes a frame; what is known already is dropped, and what is missing becomes a gap. */
  receive({ first, events }: EventsFrame, delivery: Delivery): void {
    this.skip(first - 1);
    let sequence = first;
    for (const event of events) {
      if (sequence > this.received) {
        this.received = sequence;
        delivery.left++;
        this.#add({ sequence, event, delivery });
      }
      sequence++;
    }
  }

  /** Goes on over another connection, where it may have missed something that nobody can count. */
  resumed(last: number, missed: number): void {
    if (missed > 0) this.skip(last, missed);
  }

  /** Drops what has arrived beyond so many events, to be sent again. */
  keep(count: number): void {
    if (this.#waiting.length <= count) return;
    this.#waiting.length = count;
    this.received = this.#waiting.at(-1)?.sequence ?? this.sequence;
  }

  /** Notes that nothing up to this number will come. */
  skip(sequence: number, missed = sequence - this.received): void {
    if (missed <= 0) return;
    this.received = sequence;
    this.#add({ sequence, missed });
  }

  // Not async: that would be another promise, and three more jobs, for each event.
  next(keep: unknown): Promise<Item> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.shift();
      // What is thrown rejects.
      if (waiting !== undefined) return resolve(this.#take(waiting));
      if (this.#error !== undefined) {
        const { reason } = this.#error;
        this.#error = undefined;
        reject(reason);
      } else if (this.#isOpen) this.#reads.push({ resolve, reject, keep });
      else resolve(DONE);
    });
  }

  /** Ends it: nobody wants more. */
  end(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#error = undefined;
    this.#close();
    for (const { delivery } of waiting) release(delivery);
    for (const read of this.#reads.splice(0)) read.resolve(DONE);
  }

  /** Ends it for a reason, which is thrown behind what has arrived. */
  fail(reason: RpcError | unknown): void {
    if (!this.#isOpen) return;
    this.#close();
    const [first, ...others] = this.#reads.splice(0);
    if (first === undefined) this.#error = { reason };
    else first.reject(reason);
    for (const read of others) read.resolve(DONE);
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#left();
  }

  #add(waiting: Waiting): void {
    const read = this.#reads.shift();
    if (read === undefined) return void this.#waiting.push(waiting);
    try {
      read.resolve(this.#take(waiting));
    } catch (error) {
      read.reject(error);
    }
  }

  /** @throws {CloneError} where the event is of a class that is not registered here, or the like: that ends it */
  #take({ sequence, missed, event, delivery }: Waiting): Item {
    this.sequence = sequence;
    release(delivery);
    if (missed !== undefined) return { done: false, value: { sequence, missed } };
    try {
      return { done: false, value: { sequence, event: decode(event!) } };
    } catch (error) {
      this.end();
      throw error;
    }
  }
}

function release(delivery: Delivery | undefined): void {
  if (delivery !== undefined && --delivery.left === 0) delivery.feed.consumed(delivery.cost);
}

/** What a subscription arrives as: it can be gone through once, by one reader. */
export class RemoteSubscription implements AsyncIterableIterator<TopicItem<unknown>, undefined>, Disposable {
  readonly #inbox: Inbox;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
  }

  get sequence(): number {
    return this.#inbox.sequence;
  }

  next(): Promise<Item> {
    return this.#inbox.next(this);
  }

  async return(): Promise<Item> {
    this.#inbox.end();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#inbox.end();
  }
}
