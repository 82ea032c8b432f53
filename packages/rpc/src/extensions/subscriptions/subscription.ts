import type { Reading } from '@lumenize/structured-clone/messages';
import type { Message } from '../../protocol/message.ts';
import {
  type EventsFrame,
  lifeOf,
  type Position,
  readEvent,
  type TopicItem,
  type TopicParts,
} from '../../protocol/topic.ts';
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
  readonly position: Position;
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

/** Is told of the items of a frame, before the next frame is handled. */
export type Listener = (items: TopicItem<unknown>[]) => void;

const DONE: Item = { done: true, value: undefined };

/** The state of a subscription: the events that have arrived, and the reads that wait for more. */
export class Inbox {
  readonly topic: string;
  /** The position of the last event that has arrived or is known to be missing. */
  received: Position;
  /** The position of the last event that was read. */
  position: Position;
  isOpen = true;
  /** Undefined if the subscription ends with its connection. */
  origin: Origin | undefined;
  readonly #left: (inbox: Inbox) => void;
  #waiting: Waiting[] = [];
  #reads: Read[] = [];
  #listener: Listener | undefined;
  #failure: { reason: unknown } | undefined;

  /** `left` is called when the subscription wants no more events. */
  constructor({ topic, last, missed }: TopicParts, left: (inbox: Inbox) => void) {
    this.topic = topic;
    this.received = this.position = last;
    this.#left = left;
    this.#skip(last, missed);
  }

  /** Adds the events of a frame. Drops events that are already known, and adds a gap for missing ones. */
  receive({ first: [epoch, first], events, types, tail }: EventsFrame, delivery: Delivery): void {
    const reading = { types, tail };
    this.#skip([epoch, first - 1]);
    let sequence = first;
    for (const event of events) {
      // An event that cannot be decoded has ended the subscription, so nobody reads the events after it.
      if (!this.isOpen) return;
      if (sequence > this.received[1]) {
        delivery.left++;
        this.#add({ position: [epoch, sequence], event, reading, delivery });
      }
      sequence++;
    }
    this.#tell();
  }

  /** Continues as a result says in which the subscription has come again. */
  resume({ last, missed }: TopicParts): void {
    this.#skip(last, missed);
    this.#tell();
  }

  /**
   * Continues behind this position. Adds a gap for the events that are missing before it; if the topic has begun anew,
   * nobody knows how many.
   */
  #skip(position: Position, missed = position[1] - this.received[1]): void {
    const [epoch, sequence] = this.received;
    if (sequence > 0 && lifeOf(epoch) !== lifeOf(position[0])) missed = Number.POSITIVE_INFINITY;
    if (missed > 0) this.#add({ position, missed });
    else this.received = [position[0], sequence];
  }

  /** Keeps only the waiting events that fill a window of this cost. The server sends the others again. */
  truncate(window: number): void {
    let cost = 0;
    const last = this.#waiting.findIndex(({ delivery }) => {
      cost += delivery?.share ?? 1;
      return cost >= window;
    });
    if (last < 0) return;
    this.#waiting.length = last + 1;
    this.received = this.#waiting[last].position;
  }

  // Not async, which would add another promise and three more microtasks for each event.
  next(keep: unknown): Promise<Item> {
    return new Promise((resolve, reject) => {
      const first = this.#waiting.shift();
      // An error of `#take` rejects the promise.
      if (first !== undefined) return resolve(this.#take(first));
      if (this.#failure !== undefined) {
        reject(this.#failure.reason);
        this.#failure = undefined;
      } else if (this.isOpen) this.#reads.push({ resolve, reject, keep });
      else resolve(DONE);
    });
  }

  /** Tells a listener of all items, instead of reads. The promise settles when the subscription ends. */
  listen(listener: Listener, keep: unknown): Promise<Item> {
    this.#listener = listener;
    this.#tell();
    return this.next(keep);
  }

  /** Ends the subscription, because nobody wants more events. */
  end(): void {
    const dropped = this.#waiting;
    this.#waiting = [];
    this.#failure = undefined;
    this.#close();
    for (const { delivery } of dropped) release(delivery);
  }

  /** Ends the subscription with an error, which is thrown after the events that have arrived. */
  fail(reason: unknown): void {
    if (!this.isOpen) return;
    const read = this.#reads.shift();
    if (read === undefined) this.#failure = { reason };
    else read.reject(reason);
    this.#close();
  }

  /**
   * Returns an item for a read. An event that cannot be decoded ends the subscription.
   * @throws {CloneError} if the event cannot be decoded, for example because its class is not registered here
   */
  #take({ position, missed, event, reading, delivery }: Waiting): Item {
    const [, sequence] = position;
    this.position = position;
    release(delivery);
    if (missed !== undefined) return { done: false, value: { sequence, missed } };
    try {
      return { done: false, value: { sequence, event: readEvent(event, reading!) } };
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #tell(): void {
    if (this.#listener === undefined || this.#waiting.length === 0) return;
    const items: TopicItem<unknown>[] = [];
    const reads = this.#reads;
    this.#reads = [];
    try {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) items.push(this.#take(next).value!);
    } catch (reason) {
      this.#failure = { reason };
    }
    this.#reads = reads;
    this.#listener(items);
    if (this.#failure) reads.shift()?.reject(this.#failure.reason);
  }

  #add(arrived: Waiting): void {
    this.received = arrived.position;
    const read = this.#listener ? undefined : this.#reads.shift();
    if (read === undefined) return void this.#waiting.push(arrived);
    try {
      read.resolve(this.#take(arrived));
    } catch (error) {
      read.reject(error);
    }
  }

  #close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#left(this);
    const ended = this.#reads;
    this.#reads = [];
    for (const read of ended) read.resolve(DONE);
  }
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
    return this.#inbox.position[1];
  }

  get position(): Position {
    return this.#inbox.position;
  }

  next(): Promise<Item> {
    return this.#inbox.next(this);
  }

  /** For stores, which tell of the items of a frame together, and before the answers that follow them. */
  listen(listener: Listener): Promise<Item> {
    return this.#inbox.listen(listener, this);
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
