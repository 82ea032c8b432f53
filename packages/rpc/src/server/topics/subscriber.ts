import { RpcError } from '../../errors/rpc-error.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import { splitMessage } from '../../protocol/frame-part.ts';
import { countedBytes, type Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { CONSUMED, type Signal, UNSUBSCRIBE } from '../../protocol/signal.ts';
import { TOPIC } from '../../protocol/tags.ts';
import {
  countTogether,
  eventsCost,
  readTopicSignal,
  TOPIC_WINDOW,
  topicParts,
  writeEvents,
} from '../../protocol/topic.ts';
import type { Extension, Made } from '../../session/extension.ts';
import type { RpcLimits } from '../../session/limits.ts';
import { atEndOfTurn } from '../../session/timer.ts';
import type { EventSource } from './journal.ts';

/** Returned by `subscribe()`: stands for a subscription until the result of the call is sent. It cannot be gone through here. */
export class SubscriptionRequest {
  readonly topic: string;
  readonly source: EventSource;
  /** The number after which events are wanted. */
  readonly since: number;

  constructor(topic: string, source: EventSource, since: number) {
    this.topic = topic;
    this.source = source;
    this.since = since;
  }
}

/**
 * Subscribes a connection to what a method has returned, where that is a subscription.
 * @throws {RpcError} where there is no place for it: the value is no result, or the connection does not last
 */
function beginSubscription(value: object, session: Subscribing, isArgument: boolean): Made | undefined {
  if (!(value instanceof SubscriptionRequest)) return undefined;
  const subscriber = isArgument ? undefined : session.subscriber;
  if (subscriber === undefined) {
    const message = 'a subscription can only be the result of a call, over a connection to its object that lasts';
    throw new RpcError('NOT_CLONEABLE', message);
  }
  const parts = subscriber.subscribe(value, () => session.flushAll());
  atEndOfTurn(() => subscriber.announced());
  return { extension: { name: TOPIC, parts }, takeBack: () => subscriber.unsubscribe(value.topic, 1) };
}

/** Sends what a method returned that is a subscription. */
export const TOPICS: Extension = {
  name: 'topics',
  signals: { [CONSUMED]: receiveTopicSignal, [UNSUBSCRIBE]: receiveTopicSignal },
  values: [
    {
      names: [TOPIC],
      write: (value, session, isArgument) => beginSubscription(value, session as object as Subscribing, isArgument),
      read: () => {
        throw malformedFrame('a subscription from a client');
      },
    },
  ],
};

/** A session that subscribes its client. */
interface Subscribing {
  /** Channel for events; undefined if there are no topics. */
  readonly events: EventChannel | undefined;
  /** The subscriptions of the client, made where it has none; undefined where there are no topics. */
  readonly subscriber: Subscriber | undefined;
  /** Sends what answers calls, and what was called before. */
  flushAll(): void;
}

/** Has a subscription that a method returned go on behind an event; leaves other results as they are. */
export function resumeSubscription(outcome: Outcome, after: number): Outcome {
  if (!outcome.ok || !(outcome.value instanceof SubscriptionRequest)) return outcome;
  const { topic, source } = outcome.value;
  return { ok: true, value: new SubscriptionRequest(topic, source, after) };
}

/** Does as a client says of a topic. */
function receiveTopicSignal(signal: Signal, session: object): void {
  const { topic, number } = readTopicSignal(signal);
  const { events } = session as Subscribing;
  const subscriber = events?.topics && (session as Subscribing).subscriber;
  if (signal[0] === CONSUMED) subscriber?.consumed(topic, number);
  else subscriber?.unsubscribe(topic, number);
}

/** The topics that a connection is subscribed to, as noted: how often, and where it is behind, the last number sent. */
export type NotedTopics = ReadonlyMap<string, readonly [count: number, sent?: number]>;

/** A connection, as events reach it. */
export interface EventChannel {
  /** The topics that were noted last; undefined where none ever were. */
  readonly topics: NotedTopics | undefined;
  /** Its subscriptions, where they have been needed since the object woke. */
  subscriber: Subscriber | undefined;
  /** Sends frames that are small enough; never throws. False where the caller's identity has expired: then the connection ends. */
  sendEvents(frames: readonly Message[], now: number): boolean;
  /** Keeps what is noted, also while the object is not in memory; throws where there is no room for it. */
  note(topics: NotedTopics): void;
}

/** The topics, as the subscriptions of a connection use them. */
export interface SubscriberHost {
  readonly limits: Pick<RpcLimits, 'maxFrameBytes' | 'maxSubscriptions'>;
  /** Finds the events of a topic, also of one that the object has not declared since it woke. */
  source(topic: string): EventSource;
  /** Sends frames to a connection, and counts them. */
  send(channel: EventChannel, frames: readonly Message[]): void;
  /** Has events of a topic delivered to a subscription from now on, or no more. */
  added(topic: string, position: Position): void;
  removed(topic: string, position: Position): void;
}

/** Position of one subscriber in a topic. */
export interface Position {
  readonly subscriber: Subscriber;
  /** Number of subscriptions that its client has and did not end. */
  count: number;
  /** The number of the last event that it was sent; 0 where it is not behind and that is not known any more. */
  sent: number;
  /** The cost of what it was sent and has not gone through. */
  outstanding: number;
  /** True where it gets nothing before it has gone through more: what was published is read from storage then. */
  isBehind: boolean;
}

/** Events of one frame for a subscriber that catches up: so that it can give back some before it has gone through all. */
const CATCH_UP_EVENTS = TOPIC_WINDOW / 4;

/** One connection, with what it is subscribed to. What it takes does not depend on how slow it is. */
export class Subscriber {
  readonly channel: EventChannel;
  /** Sends what answers calls: set while that may hold subscriptions that the client does not know of. */
  announce: (() => void) | undefined;
  readonly #host: SubscriberHost;
  readonly #positions = new Map<string, Position>();

  constructor(host: SubscriberHost, channel: EventChannel) {
    this.#host = host;
    this.channel = channel;
    for (const [topic, [count, sent]] of channel.topics ?? []) {
      const isBehind = sent !== undefined;
      const outstanding = isBehind ? TOPIC_WINDOW : 0;
      this.#add(topic, { subscriber: this, count, sent: sent ?? 0, outstanding, isBehind });
    }
  }

  /**
   * Subscribes it, and returns the parts that say so; `announce` will send that, and is called before any event is sent.
   * @throws {RpcError} `LIMIT_EXCEEDED`
   */
  subscribe({ topic, source, since }: SubscriptionRequest, announce: () => void): unknown[] {
    const { newest } = source;
    const { maxSubscriptions } = this.#host.limits;
    const known = this.#positions.get(topic);
    if (known === undefined && this.#positions.size >= maxSubscriptions) {
      throw new RpcError('LIMIT_EXCEEDED', `maxSubscriptions of ${maxSubscriptions} exceeded: end some first`);
    }
    const last = Math.min(since, newest);
    const position = known ?? { subscriber: this, count: 0, sent: newest, outstanding: 0, isBehind: false };
    const before = { ...position };
    position.count++;
    if (last < newest) {
      position.sent = Math.min(last, position.isBehind ? position.sent : last);
      position.isBehind = true;
    }
    if (known === undefined) this.#add(topic, position);
    if (!this.#note()) {
      Object.assign(position, before);
      if (known === undefined) this.#remove(topic, position);
      const hint = 'end some first, or give topics shorter names';
      throw new RpcError('LIMIT_EXCEEDED', `a connection has no room to note another subscription: ${hint}`);
    }
    this.announce = announce;
    return topicParts({ topic, last, missed: since > newest ? Number.POSITIVE_INFINITY : 0 });
  }

  /** Ends so many subscriptions to a topic. */
  unsubscribe(topic: string, count: number): void {
    const position = this.#positions.get(topic);
    if (position === undefined) return;
    position.count -= count;
    if (position.count <= 0) {
      this.#remove(topic, position);
      this.#note();
      return;
    }
    // One that the client does not know of yet is on its way; of what was sent before, nobody will say that it was gone through.
    position.outstanding = 0;
    this.consumed(topic, 0);
  }

  /** Ends all: the connection has ended. */
  end(): void {
    for (const [topic, position] of this.#positions) this.#host.removed(topic, position);
  }

  /** To be called when what answers calls has been collected: sends it, and what new subscriptions begin with. */
  announced(): void {
    if (this.announce === undefined) return;
    // Events may be due before what answers calls: they have to find it unannounced still.
    this.announce();
    this.announce = undefined;
    for (const [topic, position] of this.#positions) this.#catchUp(topic, position);
  }

  /** Has it get nothing more of a topic before it has gone through more; it was sent all up to this number. */
  fallBehind(position: Position, sent: number): void {
    position.isBehind = true;
    position.sent = sent;
    this.#note();
  }

  /** Notes that the client has gone through events, and sends more where it is behind. */
  consumed(topic: string, cost: number): void {
    this.announced();
    const position = this.#positions.get(topic);
    if (position === undefined) return;
    position.outstanding = Math.max(0, position.outstanding - cost);
    this.#catchUp(topic, position);
  }

  #catchUp(topic: string, position: Position): void {
    if (!position.isBehind || position.outstanding >= TOPIC_WINDOW) return;
    const source = this.#host.source(topic);
    const { newest } = source;
    while (position.isBehind && position.outstanding < TOPIC_WINDOW) {
      const run = source.read(position.sent, CATCH_UP_EVENTS);
      // Without events it says what the next one will be.
      const { first, events: all } = run ?? { first: newest + 1, events: [] };
      const events = all.slice(0, countTogether(all));
      const frame = writeEvents(topic, first, events);
      this.#host.send(this.channel, partsOf(frame, this.#host.limits.maxFrameBytes));
      position.sent = first + events.length - 1;
      position.outstanding += events.length === 0 ? 0 : eventsCost(events.length, frame.length);
      position.isBehind = position.sent < newest;
    }
    this.#note();
  }

  #add(topic: string, position: Position): void {
    this.#positions.set(topic, position);
    this.#host.added(topic, position);
  }

  #remove(topic: string, position: Position): void {
    this.#positions.delete(topic);
    this.#host.removed(topic, position);
  }

  /** Returns false where there is no room. */
  #note(): boolean {
    const noted = new Map<string, [count: number, sent?: number]>();
    for (const [topic, { count, isBehind, sent }] of this.#positions)
      noted.set(topic, isBehind ? [count, sent] : [count]);
    try {
      this.channel.note(noted);
      return true;
    } catch {
      return false; // what is noted is as it was: who was behind sees a gap by the numbers
    }
  }
}

/** Cuts a frame where it is too large to be sent as one. */
export function partsOf(frame: Message, maxFrameBytes: number): Message[] {
  return countedBytes(frame, maxFrameBytes) <= maxFrameBytes ? [frame] : [...splitMessage(frame, maxFrameBytes)];
}
