import { CloneError, encode } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { eventsCost, isSequence, writeEvents } from '../../protocol/topic.ts';
import type { SubscribeOptions, Subscription } from '../../protocol/topic-item.ts';
import { unsendableReason } from '../../protocol/unsendable.ts';
import { FULL_BYTES } from '../../session/turn.ts';
import type { Batches } from './batching-journal.ts';
import type { Journal } from './journal.ts';
import { type Delivered, partsOf, SubscriptionRequest } from './subscriber.ts';

/** How a topic keeps its events. */
export interface TopicOptions {
  /** How many of the newest events can be had again by who was away. @default 100; 0: none, only their number is kept */
  readonly retain?: number;
  /**
   * Store events together, after they were sent: a row for so many events, or for what came in so many milliseconds. What
   * was not stored at a crash is a gap for who was away; with a `retain` of 0 no event is stored at all. @default each event is
   * stored when it is published
   */
  readonly persist?: Partial<Batches>;
}

/** Events of an object, in order, for all who subscribe to them. */
export interface Topic<Event> {
  /** The name by which the object asks for it. */
  readonly name: string;
  /** The number of the last event that was published: the first has 1. */
  readonly sequence: number;
  /** How many connections are subscribed. */
  readonly subscribers: number;
  /**
   * Sends an event to all subscribers when the turn has ended, and returns its number. It is stored by then, and part of
   * the transaction that it is published in, unless the topic has `persist`: rolled back with it, it is not sent.
   * @throws {RpcError} `NOT_CLONEABLE` where it holds what is no value, `TOO_LARGE` above 1900000 bytes
   */
  publish(event: Event): number;
  /**
   * Returns what a method returns to subscribe its caller. Who may subscribe is for the method to decide.
   * @throws {RpcError} `INVALID_ARGUMENTS` where the options, which mostly come from the caller, are not what they have to be
   */
  subscribe(options?: SubscribeOptions | undefined): Subscription<Event>;
}

/** What a topic needs of all topics of its object. */
export interface TopicHost {
  readonly errorStacks: boolean;
  readonly limits: { readonly maxFrameBytes: number };
  /** Has `flush` called when the turn has ended. */
  published(topic: LiveTopic): void;
  subscribersOf(topic: string): ReadonlySet<Delivered>;
}

/** A row may have 2 MB, with all that is in it. */
const MAX_EVENT_BYTES = 1_900_000;

/** A topic of an object that is in memory. */
export class LiveTopic implements Topic<unknown> {
  readonly name: string;
  readonly journal: Journal;
  readonly #host: TopicHost;
  /** What was published and not sent. */
  #pending: { number: number; event: Uint8Array }[] = [];

  constructor(name: string, host: TopicHost, journal: Journal) {
    this.name = name;
    this.journal = journal;
    this.#host = host;
  }

  get sequence(): number {
    return this.journal.newest;
  }

  get subscribers(): number {
    return this.#host.subscribersOf(this.name).size;
  }

  publish(value: unknown): number {
    const event = encodeEvent(value, this.name, this.#host.errorStacks);
    const number = this.journal.append(event);
    // A number that comes again was rolled back before.
    while (this.#pending.length > 0 && this.#pending.at(-1)!.number >= number) this.#pending.pop();
    this.#pending.push({ number, event });
    this.#host.published(this);
    return number;
  }

  subscribe(options?: SubscribeOptions | undefined): Subscription<never> {
    const since: unknown = options?.since;
    if (since !== undefined && !isSequence(since)) {
      throw new RpcError('INVALID_ARGUMENTS', 'since has to be the number of an event, or 0');
    }
    return new SubscriptionRequest(this.name, this.journal, since ?? this.sequence) as unknown as Subscription<never>;
  }

  /** Sends what was published and not rolled back since. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    const subscribers = this.#host.subscribersOf(this.name);
    if (subscribers.size === 0 && !this.journal.storesLater) return;
    const newest = this.journal.settle();
    if (subscribers.size === 0) return;
    let events: Uint8Array[] = [];
    let bytes = 0;
    for (const [place, { number, event }] of pending.entries()) {
      if (number > newest) break;
      events.push(event);
      bytes += event.length;
      const isFollowed = pending[place + 1]?.number === number + 1 && number < newest;
      if (isFollowed && bytes < FULL_BYTES) continue;
      this.#send(events, number, subscribers);
      events = [];
      bytes = 0;
    }
  }

  /** Sends events to all who are subscribed: one frame, which all of them share. */
  #send(events: readonly Uint8Array[], last: number, subscribers: ReadonlySet<Delivered>): void {
    const { name } = this;
    const first = last - events.length + 1;
    const frame = writeEvents({ topic: name, first, events });
    const parts = partsOf(frame, this.#host.limits.maxFrameBytes);
    const cost = eventsCost(events.length, frame.length);
    for (const subscriber of subscribers) subscriber.deliver(name, last, parts, cost, first);
  }
}

function encodeEvent(value: unknown, topic: string, errorStacks: boolean): Uint8Array {
  let event: Uint8Array;
  try {
    // Without options the codec's own encoder serves, which is kept from event to event.
    event = errorStacks ? encode(value, { errorStacks }) : encode(value);
  } catch (error) {
    if (!(error instanceof CloneError)) throw error;
    throw new RpcError('NOT_CLONEABLE', `an event of ${topic}: ${unsendableReason(error)}`, { cause: error });
  }
  if (event.length <= MAX_EVENT_BYTES) return event;
  const message = `an event of ${topic} has ${event.length} bytes, more than ${MAX_EVENT_BYTES}: publish where it can be had`;
  throw new RpcError('TOO_LARGE', message);
}
