import { RpcError } from '../../errors/rpc-error.ts';
import { splitMessage } from '../../protocol/frame-part.ts';
import type { Message } from '../../protocol/message.ts';
import { eventsCost, TOPIC_WINDOW, topicPayload, writeEvents } from '../../protocol/topic.ts';
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

/** What a connection is subscribed to, as it is noted: by topic how often, and where it is behind, the last number sent. */
export type NotedTopics = ReadonlyMap<string, readonly [count: number, sent?: number]>;

/** How to reach a connection. */
export interface EventChannel {
  /** Sends a frame that is small enough; never throws. */
  send(frame: Message): void;
  /** Keeps what is noted, also while the object is not in memory; throws where there is no room for it. */
  note(topics: NotedTopics): void;
}

/** What the subscriptions of a connection need of the topics. */
export interface SubscriberHost {
  readonly limits: { readonly maxFrameBytes: number; readonly maxSubscriptions: number };
  /** Finds the events of a topic, also of one that the object has not declared since it woke. */
  source(topic: string): EventSource;
  changed(topic: string, subscriber: Subscriber, isSubscribed: boolean): void;
}

/** What a topic needs of a subscriber. */
export type Delivered = Pick<Subscriber, 'deliver'>;

/** Where one subscriber is in a topic. */
interface Position {
  /** How many subscriptions its client has got and not given up. */
  count: number;
  /** The number of the last event that it was sent; 0 where it is not behind and that is not known any more. */
  sent: number;
  /** The cost of what it was sent and has not gone through. */
  outstanding: number;
  /** Whether it gets nothing before it has gone through more: what was published is read from storage then. */
  isBehind: boolean;
}

/** Events of one frame for a subscriber that catches up: so that it can give back some before it has gone through all. */
const CATCH_UP_EVENTS = TOPIC_WINDOW / 4;

/** One connection, with what it is subscribed to. What it takes does not depend on how slow it is. */
export class Subscriber {
  readonly #host: SubscriberHost;
  readonly #channel: EventChannel;
  readonly #positions = new Map<string, Position>();
  /** Sends what answers calls: set while that may hold subscriptions that the client does not know of. */
  #announce: (() => void) | undefined;

  constructor(host: SubscriberHost, channel: EventChannel, noted: NotedTopics = new Map()) {
    this.#host = host;
    this.#channel = channel;
    for (const [topic, [count, sent]] of noted) {
      const isBehind = sent !== undefined;
      this.#positions.set(topic, { count, sent: sent ?? 0, outstanding: isBehind ? TOPIC_WINDOW : 0, isBehind });
      host.changed(topic, this, true);
    }
  }

  get topics(): string[] {
    return [...this.#positions.keys()];
  }

  /**
   * Subscribes it, and returns the payload that says so; `announce` will send that, and is called before any event is sent.
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
    const position = known ?? { count: 0, sent: newest, outstanding: 0, isBehind: false };
    const before = { ...position };
    position.count++;
    if (last < newest) {
      position.sent = Math.min(last, position.isBehind ? position.sent : last);
      position.isBehind = true;
    }
    this.#positions.set(topic, position);
    if (!this.#note()) {
      Object.assign(position, before);
      if (known === undefined) this.#positions.delete(topic);
      const message =
        'a connection has no room to note another subscription: end some first, or give topics shorter names';
      throw new RpcError('LIMIT_EXCEEDED', message);
    }
    if (known === undefined) this.#host.changed(topic, this, true);
    this.#announce = announce;
    return topicPayload({ topic, last, missed: since > newest ? Number.POSITIVE_INFINITY : 0 });
  }

  /** Ends so many subscriptions to a topic. */
  unsubscribe(topic: string, count: number): void {
    const position = this.#positions.get(topic);
    if (position === undefined) return;
    position.count -= count;
    if (position.count <= 0) {
      this.#positions.delete(topic);
      this.#host.changed(topic, this, false);
      this.#note();
      return;
    }
    // One that the client does not know of yet is on its way; of what was sent before, nobody will say that it was gone through.
    position.outstanding = 0;
    this.consumed(topic, 0);
  }

  /** To be called when what answers calls has been collected: sends it, and what new subscriptions begin with. */
  announced(): void {
    const announce = this.#announce;
    if (announce === undefined) return;
    this.#announce = undefined;
    announce();
    for (const [topic, position] of this.#positions) this.#catchUp(topic, position);
  }

  /** Takes a frame of events that were just published, cut to parts where it has to be; `last`: the number of the last. */
  deliver(topic: string, last: number, parts: readonly Uint8Array<ArrayBuffer>[], cost: number, first: number): void {
    if (this.#announce !== undefined) this.announced();
    const position = this.#positions.get(topic);
    if (position === undefined || position.isBehind || position.sent >= last) return;
    if (position.outstanding >= TOPIC_WINDOW) {
      position.isBehind = true;
      position.sent = first - 1;
      this.#note();
      return;
    }
    position.sent = last;
    position.outstanding += cost;
    for (const part of parts) this.#channel.send(part);
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
      const { first, events } = run ?? { first: newest + 1, events: [] };
      const bytes = writeEvents({ topic, first, events });
      for (const part of partsOf(bytes, this.#host.limits.maxFrameBytes)) this.#channel.send(part);
      position.sent = first + events.length - 1;
      position.outstanding += events.length === 0 ? 0 : eventsCost(events.length, bytes.length);
      position.isBehind = position.sent < newest;
    }
    this.#note();
  }

  /** False where there is no room. */
  #note(): boolean {
    const noted = [...this.#positions].map(([topic, { count, isBehind, sent }]) => {
      return [topic, isBehind ? [count, sent] : [count]] as const;
    });
    try {
      this.#channel.note(new Map(noted as Iterable<[string, [number, number?]]>));
      return true;
    } catch {
      return false; // what is noted is as it was: who was behind sees a gap by the numbers
    }
  }
}

/** Cuts a frame where it is too large to be sent as one. */
export function partsOf(frame: Uint8Array<ArrayBuffer>, maxFrameBytes: number): Uint8Array<ArrayBuffer>[] {
  return frame.length <= maxFrameBytes ? [frame] : [...splitMessage(frame, maxFrameBytes)];
}
