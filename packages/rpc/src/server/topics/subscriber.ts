import { RpcError } from '../../errors/rpc-error.ts';
import { malformedFrame } from '../../protocol/errors.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { CONSUMED, type Signal } from '../../protocol/signal.ts';
import { TOPIC } from '../../protocol/tags.ts';
import { type Position, readTopicSignal } from '../../protocol/topic.ts';
import type { Extension, Made } from '../../session/extension.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import type { Session } from '../../session/session.ts';

/** A topic, as its subscribers need it. */
export interface SubscribedTopic {
  /**
   * Subscribes a connection, and returns the parts that tell its client. `announce` sends them; it is called before any
   * event is sent.
   * @throws {RpcError} `LIMIT_EXCEEDED` if there are too many subscriptions, or no room to note another one
   */
  begin(channel: EventChannel, since: Position, announce: () => void): unknown[];
  /** Ends a number of subscriptions of a connection. */
  unsubscribe(channel: EventChannel, count: number): void;
  /** Called when a client has consumed events: sends more if it is behind. */
  consumed(channel: EventChannel, cost: number): void;
}

/** The topics of an object, by their names. */
export interface NamedTopics {
  /** Returns the topic of that name, even one that was not declared since the object woke. */
  named(name: string): SubscribedTopic;
}

/**
 * Returned by `subscribe()`: stands for a subscription until the result of the call is sent. It cannot be iterated on
 * the server.
 */
export class SubscriptionRequest {
  readonly topic: SubscribedTopic;
  /** The position behind which the subscription begins. */
  readonly since: Position;

  constructor(topic: SubscribedTopic, since: Position) {
    this.topic = topic;
    this.since = since;
  }
}

/** A session that can subscribe its client. */
interface Subscribing extends Session {
  /** Channel for events; undefined if there are no topics. */
  readonly events: EventChannel | undefined;
}

/**
 * Subscribes a connection if a method has returned a subscription.
 * @throws {RpcError} if that is not possible: the value is an argument and not a result, or the connection does not
 * last
 */
function beginSubscription(value: object, session: Subscribing, isArgument: boolean): Made | undefined {
  if (!(value instanceof SubscriptionRequest)) return undefined;
  const { topic, since } = value;
  const { events } = session;
  if (isArgument || events === undefined) {
    const message = 'a subscription can only be the result of a call, over a connection to its object that lasts';
    throw new RpcError('NOT_CLONEABLE', message);
  }
  const parts = topic.begin(events, since, () => {
    session.flushOthers();
    session.flush();
  });
  return { extension: { name: TOPIC, parts }, takeBack: () => topic.unsubscribe(events, 1) };
}

/** The extension that sends subscriptions as results, and handles signals about topics. */
export const TOPICS: Extension = {
  name: 'topics',
  values: [
    {
      names: [TOPIC],
      write: beginSubscription,
      read: () => {
        throw malformedFrame('a subscription from a client');
      },
    },
  ],
};

/** Makes a subscription that a method returned continue after an event; returns other outcomes unchanged. */
export function resumeSubscription(outcome: Outcome, after: Position): Outcome {
  if (!outcome.ok || !(outcome.value instanceof SubscriptionRequest)) return outcome;
  return { ok: true, value: new SubscriptionRequest(outcome.value.topic, after) };
}

/** Handles a client's signal about a topic. `topics` returns those of the object. */
export function handleTopicSignal(
  signal: Signal,
  channel: EventChannel | undefined,
  topics: (() => NamedTopics) | undefined,
): void {
  const { topic, number } = readTopicSignal(signal);
  if (!channel?.topics?.has(topic)) return;
  topics!().named(topic)[signal[0] === CONSUMED ? 'consumed' : 'unsubscribe'](channel, number);
}

/**
 * The topics that are noted for a connection: the number of its subscriptions and, for a subscriber that is behind, the
 * number of the last event that was sent.
 */
export type NotedTopics = ReadonlyMap<string, readonly [count: number, sent?: number]>;

/** The part of a connection that events need. */
export interface EventChannel {
  /** The topics that were noted last; undefined if none ever were. */
  readonly topics: NotedTopics | undefined;
  /** Sends what was collected. It is set while this may hold subscriptions that the client does not know of. */
  announce: (() => void) | undefined;
  /**
   * Sends frames that are small enough; never throws. Returns false if the caller's identity has expired, and then ends
   * the connection.
   */
  sendEvents(frames: readonly Message[], now: number): boolean;
  /** Follows a caller that has a new identity; throws if there is no room for it. */
  renew?(caller: Caller): void;
  /** Keeps the noted topics, even while the object is not in memory; throws if there is no room for them. */
  note(topics: NotedTopics): void;
}
