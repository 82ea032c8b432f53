import type { Reading } from '@lumenize/structured-clone/messages';
import type { Message } from '../../protocol/message.ts';
import { type EventsFrame, readEvent, type TopicItem } from '../../protocol/topic.ts';
import type { Moment } from '../../session/timer.ts';

/** The call that returned a subscription. It is sent again over the next connection. */
export interface Origin {
  readonly callId: number;
  /** The id of the first call in the frame of the call, and the frame itself. */
  readonly firstId: number;
  readonly message: Message;
  /** Time at which the frame was sent. */
  readonly sentAt: Moment;
}

/** A frame of events, until all of its events have been read. */
export interface Delivery {
  left: number;
  /** The share of each event in the cost of the frame. */
  readonly share: number;
  consumed(): void;
}

/** An event that has arrived and was not read yet; or a gap, if it has no event. */
interface Waiting {
  readonly sequence: number;
  readonly missed?: number;
  readonly event?: unknown;
  /** The types and bytes that are needed to decode the event. */
  readonly reading?: Reading;
  readonly delivery?: Delivery;
}

type Item = IteratorResult<TopicItem<unknown>, undefined>;

interface Read {
  resolve(item: Item): void;
  reject(error: unknown): void;
  /** An object that must not be garbage collected while the read waits. */
  readonly keep: unknown;
}

const DONE: Item = { done: true, value: undefined };

/** The state of a subscription: the events that have arrived, and the reads that wait for more. */
export interface Inbox {
  readonly topic: string;
  /** The number of the last event that has arrived or is known to be missing. */
  received: number;
  /** The number of the last event that was read. */
  sequence: number;
  isOpen: boolean;
  /** Undefined if the subscription ends with its connection. */
  origin: Origin | undefined;
  /** Adds the events of a frame. Drops events that are already known, and adds a gap for missing ones. */
  receive(frame: EventsFrame, delivery: Delivery): void;
  /** Adds a gap up to this number, because no event up to it will arrive. */
  skip(sequence: number, missed?: number): void;
  /** Keeps only the waiting events that fill a window of this cost. The server sends the others again. */
  truncate(window: number): void;
  next(keep: unknown): Promise<Item>;
  /** Ends the subscription, because nobody wants more events. */
  end(): void;
  /** Ends the subscription with an error, which is thrown after the events that have arrived. */
  fail(reason: unknown): void;
}

/** Creates the state of a subscription. `left` is called when it wants no more events. */
export function createInbox(topic: string, last: number, missed: number, left: (inbox: Inbox) => void): Inbox {
  let waiting: Waiting[] = [];
  let reads: Read[] = [];
  let failure: { reason: unknown } | undefined;

  /**
   * Returns an item for a read. An event that cannot be decoded ends the subscription.
   * @throws {CloneError} if the event cannot be decoded, for example because its class is not registered here
   */
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
      let sequence = first;
      for (const event of events) {
        // An event that cannot be decoded has ended the subscription, so nobody reads the events after it.
        if (!inbox.isOpen) return;
        if (sequence > inbox.received) {
          delivery.left++;
          add({ sequence, event, reading, delivery });
        }
        sequence++;
      }
    },
    skip(sequence, missed = sequence - inbox.received) {
      if (missed > 0) add({ sequence, missed });
    },
    truncate(window) {
      let cost = 0;
      const last = waiting.findIndex(({ delivery }) => {
        cost += delivery?.share ?? 1;
        return cost >= window;
      });
      if (last < 0) return;
      waiting.length = last + 1;
      inbox.received = waiting[last].sequence;
    },
    // Not async, which would add another promise and three more microtasks for each event.
    next: (keep) =>
      new Promise((resolve, reject) => {
        const first = waiting.shift();
        // An error of `take` rejects the promise.
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

/** The subscription that a caller receives. It can be iterated once, by one reader. */
export class RemoteSubscription implements AsyncIterableIterator<TopicItem<unknown>, undefined>, Disposable {
  readonly #inbox: Inbox;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    // For engines without `Symbol.dispose`: compiled `using` asks for `Symbol.for('Symbol.dispose')`, or for a symbol
    // that was added after this class was created.
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
