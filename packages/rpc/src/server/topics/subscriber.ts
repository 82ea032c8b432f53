import { RpcError } from '../../errors/rpc-error.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import { splitMessage } from '../../protocol/frame-part.ts';
import { countedBytes, type Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { CONSUMED, type Signal } from '../../protocol/signal.ts';
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

/**
 * Returned by `subscribe()`: stands for a subscription until the result of the call is sent. It cannot be iterated on
 * the server.
 */
export class SubscriptionRequest {
  readonly topic: string;
  readonly source: EventSource;
  /** The number of the event after which the subscription begins. */
  readonly since: number;

  constructor(topic: string, source: EventSource, since: number) {
    this.topic = topic;
    this.source = source;
    this.since = since;
  }
}

/**
 * Subscribes a connection if a method has returned a subscription.
 * @throws {RpcError} if that is not possible: the value is an argument and not a result, or the connection does not
 * last
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

/** The extension that sends subscriptions as results, and handles signals about topics. */
export const TOPICS: Extension = {
  name: 'topics',
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

/** A session that can subscribe its client. */
interface Subscribing {
  /** Channel for events; undefined if there are no topics. */
  readonly events: EventChannel | undefined;
  /** The subscriptions of the client, made on first use; undefined if there are no topics. */
  readonly subscriber: Subscriber | undefined;
  /** Sends collected answers, and the calls made before them. */
  flushAll(): void;
}

/** Makes a subscription that a method returned continue after an event; returns other outcomes unchanged. */
export function resumeSubscription(outcome: Outcome, after: number): Outcome {
  if (!outcome.ok || !(outcome.value instanceof SubscriptionRequest)) return outcome;
  const { topic, source } = outcome.value;
  return { ok: true, value: new SubscriptionRequest(topic, source, after) };
}

/** Handles a client's signal about a topic. */
export function receiveTopicSignal(signal: Signal, session: Subscribing): void {
  const { topic, number } = readTopicSignal(signal);
  const subscriber = session.events?.topics && session.subscriber;
  if (signal[0] === CONSUMED) subscriber?.consumed(topic, number);
  else subscriber?.unsubscribe(topic, number);
}

/**
 * The topics that a connection is subscribed to, as they are noted: the number of subscriptions and, for a subscriber
 * that is behind, the number of the last event that was sent.
 */
export type NotedTopics = ReadonlyMap<string, readonly [count: number, sent?: number]>;

/** A connection, as far as events need it. */
export interface EventChannel {
  /** The topics that were noted last; undefined if none ever were. */
  readonly topics: NotedTopics | undefined;
  /** The subscriptions of the connection, if they have been needed since the object woke. */
  subscriber: Subscriber | undefined;
  /**
   * Sends frames that are small enough; never throws. Returns false if the caller's identity has expired, and then ends
   * the connection.
   */
  sendEvents(frames: readonly Message[], now: number): boolean;
  /** Keeps the noted topics, even while the object is not in memory; throws if there is no room for them. */
  note(topics: NotedTopics): void;
}

/** The topics of an object, as far as the subscriptions of a connection need them. */
export interface SubscriberHost {
  readonly limits: Pick<RpcLimits, 'maxFrameBytes' | 'maxSubscriptions'>;
  /** Returns the events of a topic, even of one that the object has not declared since it woke. */
  source(topic: string): EventSource;
  /** Sends frames to a connection, and counts them. */
  send(channel: EventChannel, frames: readonly Message[]): void;
  /** Starts to deliver events of a topic to a subscriber; `removed` stops it. */
  added(topic: string, position: Position): void;
  removed(topic: string, position: Position): void;
}

/** The position of a subscriber in a topic. */
export interface Position {
  readonly subscriber: Subscriber;
  /** Number of subscriptions that its client has and has not ended. */
  count: number;
  /** The number of the last event that was sent to it; 0 if it is not behind and the number is no longer known. */
  sent: number;
  /** The cost of the events that were sent to it and that it has not consumed. */
  outstanding: number;
  /** True if it gets no more events before it has consumed some. It then catches up from storage. */
  isBehind: boolean;
}

/**
 * Largest number of events in a frame for a subscriber that catches up, so that it can return credit before it has
 * consumed all of them.
 */
const CATCH_UP_EVENTS = TOPIC_WINDOW / 4;

/** A connection and its subscriptions. Their memory does not depend on how slow the client is. */
export class Subscriber {
  readonly channel: EventChannel;
  /** Sends the collected answers. It is set while these may hold subscriptions that the client does not know of. */
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
   * Subscribes the connection to a topic, and returns the parts that tell the client. `announce` sends them; it is
   * called before any event is sent.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there are too many subscriptions, or no room to note another one
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

  /** Ends a number of subscriptions to a topic. */
  unsubscribe(topic: string, count: number): void {
    const position = this.#positions.get(topic);
    if (position === undefined) return;
    position.count -= count;
    if (position.count <= 0) {
      this.#remove(topic, position);
      this.#note();
      return;
    }
    // The remaining subscription is one that the client does not know of yet. The client will not report the events
    // that were sent before it as consumed.
    position.outstanding = 0;
    this.consumed(topic, 0);
  }

  /** Ends all subscriptions, because the connection has ended. */
  end(): void {
    for (const [topic, position] of this.#positions) this.#host.removed(topic, position);
  }

  /** Called when the answers have been collected: sends them, and the first events of new subscriptions. */
  announced(): void {
    if (this.announce === undefined) return;
    // Sending the answers may first send due events, which must still find the subscriptions unannounced.
    this.announce();
    this.announce = undefined;
    for (const [topic, position] of this.#positions) this.#catchUp(topic, position);
  }

  /**
   * Stops sending events of a topic until the subscriber has consumed more. `sent` is the number of the last event that
   * was sent.
   */
  fallBehind(position: Position, sent: number): void {
    position.isBehind = true;
    position.sent = sent;
    this.#note();
  }

  /** Called when the client has consumed events: sends more if it is behind. */
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
      // A frame without events tells the number of the next event.
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

  /** Notes the topics; returns false if there is no room for them. */
  #note(): boolean {
    const noted = new Map<string, [count: number, sent?: number]>();
    for (const [topic, { count, isBehind, sent }] of this.#positions)
      noted.set(topic, isBehind ? [count, sent] : [count]);
    try {
      this.channel.note(noted);
      return true;
    } catch {
      return false; // the earlier note stays: a client that was behind sees a gap in the numbers
    }
  }
}

/** Splits a frame into parts if it is larger than `maxFrameBytes`. */
export function partsOf(frame: Message, maxFrameBytes: number): Message[] {
  return countedBytes(frame, maxFrameBytes) <= maxFrameBytes ? [frame] : [...splitMessage(frame, maxFrameBytes)];
}
