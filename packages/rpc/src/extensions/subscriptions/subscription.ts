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
  /** Time at which it was sent. */
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
export interface Inbox {
  readonly topic: string;
  /** The number of the last event that has arrived, or that is known to be missing. */
  received: number;
  /** The number of the last event that was gone through. */
  sequence: number;
  isOpen: boolean;
  /** Undefined where it ends with its connection. */
  origin: Origin | undefined;
  /** Takes a frame; drops what is known already, and makes what is missing a gap. */
  receive(frame: EventsFrame, delivery: Delivery): void;
  /** Notes that nothing up to this number will come. */
  skip(sequence: number, missed?: number): void;
  /** Drops what has arrived beyond so many events, to be sent again. */
  truncate(count: number): void;
  next(keep: unknown): Promise<Item>;
  /** Ends it: nobody wants more. */
  end(): void;
  /** Ends it for a reason, which is thrown behind what has arrived. */
  fail(reason: unknown): void;
}

/** Makes the state of a subscription; `left` is called when it wants no more events. */
export function createInbox(topic: string, last: number, missed: number, left: (inbox: Inbox) => void): Inbox {
  let waiting: Waiting[] = [];
  let reads: Read[] = [];
  let failure: { reason: unknown } | undefined;

  /** @throws {CloneError} where the event is of a class that is not registered here, or the like: that ends it */
  const take = ({ sequence, missed, event, reading, delivery }: Waiting): Item => {
    inbox.sequence = sequence;
    release(delivery);
    if (missed !== undefined) return { done: false, value: { sequence, missed } };
    try {
      return { done: false, value: { sequence, event: readEvent(event, reading!) } };
    } catch (error) {
      inbox.end();
      throw error;
    }
  };
  const add = (arrived: Waiting) => {
    inbox.received = arrived.sequence;
    const read = reads.shift();
    if (read === undefined) return void waiting.push(arrived);
    try {
      read.resolve(take(arrived));
    } catch (error) {
      read.reject(error);
    }
  };
  const close = () => {
    if (!inbox.isOpen) return;
    inbox.isOpen = false;
    left(inbox);
    const ended = reads;
    reads = [];
    for (const read of ended) read.resolve(DONE);
  };
  const inbox: Inbox = {
    topic,
    received: last,
    sequence: last,
    isOpen: true,
    origin: undefined,
    receive({ first, events, types, tail }, delivery) {
      const reading = { types, tail };
      inbox.skip(first - 1);
      for (const [place, event] of events.entries()) {
        // An event that cannot be read has ended it: nobody goes through those behind.
        if (!inbox.isOpen) return;
        const sequence = first + place;
        if (sequence > inbox.received) {
          delivery.left++;
          add({ sequence, event, reading, delivery });
        }
      }
    },
    skip(sequence, missed = sequence - inbox.received) {
      if (missed > 0) add({ sequence, missed });
    },
    truncate(count) {
      if (waiting.length <= count) return;
      waiting.length = count;
      inbox.received = waiting.at(-1)?.sequence ?? inbox.sequence;
    },
    // Not async: that would be another promise, and three more jobs, for each event.
    next: (keep) =>
      new Promise((resolve, reject) => {
        const first = waiting.shift();
        // What is thrown rejects.
        if (first !== undefined) return resolve(take(first));
        if (failure !== undefined) {
          reject(failure.reason);
          failure = undefined;
        } else if (inbox.isOpen) reads.push({ resolve, reject, keep });
        else resolve(DONE);
      }),
    end() {
      const dropped = waiting;
      waiting = [];
      failure = undefined;
      close();
      for (const { delivery } of dropped) release(delivery);
    },
    fail(reason) {
      if (!inbox.isOpen) return;
      const read = reads.shift();
      if (read === undefined) failure = { reason };
      else read.reject(reason);
      close();
    },
  };
  inbox.skip(last, missed);
  return inbox;
}

function release(delivery: Delivery | undefined): void {
  if (delivery !== undefined && --delivery.left === 0) delivery.consumed();
}

/** Stands for a subscription: it can be gone through once, by one reader. */
export class RemoteSubscription implements AsyncIterableIterator<TopicItem<unknown>, undefined>, Disposable {
  readonly #inbox: Inbox;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    // Where the engine has no such symbol: what compilers make of `using` asks for this one, or for one that was put there
    // after this class was made.
    const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
    if (!(dispose in this)) Reflect.set(this, dispose, this.return);
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
