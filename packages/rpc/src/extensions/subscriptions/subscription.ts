import type { Reading } from '@lumenize/structured-clone/messages';
import type { Message } from '../../protocol/message.ts';
import { type EventsFrame, readEvent, type TopicItem } from '../../protocol/topic.ts';
import type { Moment } from '../../session/timer.ts';

/** The call that returned a subscription: it is made again over the next connection. */
export interface Origin {
  readonly callId: number;
  /** The frame that it was in, and the id of the first call there. */
  readonly firstId: number;
  readonly message: Message;
  /** When it was sent. */
  readonly sentAt: Moment;
}

/** A frame of events, until all of them have been gone through. */
export interface Delivery {
  left: number;
  consumed(): void;
}

/** An event that has arrived and was not gone through; without an event a gap. */
interface Waiting {
  readonly sequence: number;
  readonly missed?: number;
  readonly event?: unknown;
  /** The bytes that belong to the event, and how it is read. */
  readonly reading?: Reading;
  readonly delivery?: Delivery;
}

type Item = IteratorResult<TopicItem<unknown>, undefined>;

interface Read {
  resolve(item: Item): void;
  reject(error: unknown): void;
  /** Must not be collected while someone waits. */
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
  isOpen = true;
  /** Undefined where it ends with its connection. */
  origin: Origin | undefined;
  readonly #left: (inbox: Inbox) => void;
  #waiting: Waiting[] = [];
  #reads: Read[] = [];
  #error: { reason: unknown } | undefined;

  /** `left` is called when it wants no more events. */
  constructor(topic: string, last: number, missed: number, left: (inbox: Inbox) => void) {
    this.topic = topic;
    this.received = this.sequence = last;
    this.#left = left;
    this.skip(last, missed);
  }

  /** Takes a frame; drops what is known already, and makes what is missing a gap. */
  receive({ first, events, types, tail }: EventsFrame, delivery: Delivery): void {
    const reading = { types, tail };
    this.skip(first - 1);
    for (const [place, event] of events.entries()) {
      const sequence = first + place;
      if (sequence > this.received) {
        this.received = sequence;
        delivery.left++;
        this.#add({ sequence, event, reading, delivery });
      }
    }
  }

  /** Notes that nothing up to this number will come. */
  skip(sequence: number, missed = sequence - this.received): void {
    if (missed <= 0) return;
    this.received = sequence;
    this.#add({ sequence, missed });
  }

  /** Drops what has arrived beyond so many events, to be sent again. */
  truncate(count: number): void {
    if (this.#waiting.length <= count) return;
    this.#waiting.length = count;
    this.received = this.#waiting.at(-1)?.sequence ?? this.sequence;
  }

  // Not async: that would be another promise, and three more jobs, for each event.
  next(keep: unknown): Promise<Item> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.shift();
      // What is thrown rejects.
      if (waiting !== undefined) return resolve(this.#take(waiting));
      if (this.#error !== undefined) {
        reject(this.#error.reason);
        this.#error = undefined;
      } else if (this.isOpen) this.#reads.push({ resolve, reject, keep });
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
  }

  /** Ends it for a reason, which is thrown behind what has arrived. */
  fail(reason: unknown): void {
    if (!this.isOpen) return;
    const read = this.#reads.shift();
    if (read === undefined) this.#error = { reason };
    else read.reject(reason);
    this.#close();
  }

  #close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#left(this);
    for (const read of this.#reads.splice(0)) read.resolve(DONE);
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
  #take({ sequence, missed, event, reading, delivery }: Waiting): Item {
    this.sequence = sequence;
    release(delivery);
    if (missed !== undefined) return { done: false, value: { sequence, missed } };
    try {
      return { done: false, value: { sequence, event: readEvent(event, reading!) } };
    } catch (error) {
      this.end();
      throw error;
    }
  }
}

function release(delivery: Delivery | undefined): void {
  if (delivery !== undefined && --delivery.left === 0) delivery.consumed();
}

/** Stands for a subscription: it can be gone through once, by one reader. */
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
