import { type EventsFrame, eventsCost, writeEvents } from '../../protocol/topic.ts';
import { atEndOfTurn } from '../../session/turn.ts';
import { BatchingJournal } from './batching-journal.ts';
import { StoringJournal } from './journal.ts';
import type { TopicSource } from './source.ts';
import { type NotedTopics, partsOf, Subscriber, type SubscriberHost } from './subscriber.ts';
import { LiveTopic, type Topic, type TopicHost, type TopicOptions } from './topic.ts';
import { TopicLog } from './topic-log.ts';

/** What topics need of the server of their object. */
export interface TopicsHost {
  readonly limits: SubscriberHost['limits'];
  readonly errorStacks: boolean;
  /** The sockets that were open when the object woke and are subscribed to something. */
  noted(): Iterable<readonly [connection: object, topics: NotedTopics]>;
  /** How to reach a connection. */
  channelOf(connection: object): Pick<SubscriberHost, 'send' | 'note'>;
}

const DEFAULT_RETAIN = 100;
const DEFAULT_BATCHES = { everyEvents: 100, everyMs: 1000 };

/** The topics of an object, and who is subscribed to them. */
export class Topics implements TopicHost {
  readonly #storage: DurableObjectStorage;
  readonly #host: () => TopicsHost;
  readonly #topics = new Map<string, LiveTopic>();
  /** Topics of which something was published in this turn. */
  readonly #published = new Set<LiveTopic>();
  /** By connection; made when it is first needed, from what sockets carry. */
  #subscribers: Map<object, Subscriber> | undefined;
  readonly #byTopic = new Map<string, Set<Subscriber>>();

  /** `host` is asked when something is published or subscribed to, not before. */
  constructor(storage: DurableObjectStorage, host: () => TopicsHost) {
    this.#storage = storage;
    this.#host = host;
  }

  get errorStacks(): boolean {
    return this.#host().errorStacks;
  }

  /**
   * Returns the topic of that name, the same one each time.
   * @throws {TypeError} where an option is not what it has to be
   */
  topic<Event>(name: string, options: TopicOptions = {}): Topic<Event> {
    return this.#find(name, options) as Topic<Event>;
  }

  published(topic: LiveTopic): void {
    if (this.#published.size === 0) atEndOfTurn(() => this.#flush());
    this.#published.add(topic);
  }

  broadcast(frame: EventsFrame): void {
    const bytes = writeEvents(frame);
    const { first, events, topic } = frame;
    const parts = partsOf(bytes, this.#host().limits.maxFrameBytes);
    const cost = eventsCost(events.length, bytes.length);
    for (const subscriber of this.#subscribersOf(topic)) {
      subscriber.deliver(topic, first + events.length - 1, parts, cost, first);
    }
  }

  subscribersOf(topic: string): number {
    return this.#subscribersOf(topic).size;
  }

  /** The subscriptions of a connection; made where it has none. */
  subscriber(connection: object): Subscriber {
    const known = this.#all.get(connection);
    return known ?? this.#add(connection);
  }

  /** Forgets a connection that has ended. */
  forget(connection: object): void {
    const subscriber = this.#subscribers?.get(connection);
    if (subscriber === undefined) return;
    this.#subscribers!.delete(connection);
    for (const topic of subscriber.topics) this.#changed(topic, subscriber, false);
  }

  get #all(): Map<object, Subscriber> {
    if (this.#subscribers === undefined) {
      this.#subscribers = new Map();
      for (const [connection, noted] of this.#host().noted()) this.#add(connection, noted);
    }
    return this.#subscribers;
  }

  #add(connection: object, noted?: NotedTopics): Subscriber {
    const host = this.#host();
    const { send, note } = host.channelOf(connection);
    const subscriber: Subscriber = new Subscriber(
      {
        send,
        note,
        limits: host.limits,
        source: (topic) => this.#source(topic),
        changed: (topic, isSubscribed) => this.#changed(topic, subscriber, isSubscribed),
      },
      noted,
    );
    this.#subscribers!.set(connection, subscriber);
    for (const topic of subscriber.topics) this.#changed(topic, subscriber, true);
    return subscriber;
  }

  #changed(topic: string, subscriber: Subscriber, isSubscribed: boolean): void {
    const subscribers = this.#byTopic.get(topic) ?? new Set();
    if (isSubscribed) this.#byTopic.set(topic, subscribers.add(subscriber));
    else if (subscribers.delete(subscriber) && subscribers.size === 0) this.#byTopic.delete(topic);
  }

  #subscribersOf(topic: string): ReadonlySet<Subscriber> {
    this.#all;
    return this.#byTopic.get(topic) ?? NONE;
  }

  #find(name: string, { retain = DEFAULT_RETAIN, persist }: TopicOptions): LiveTopic {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      const batches = persist && { ...DEFAULT_BATCHES, ...persist };
      if (!Number.isSafeInteger(retain) || retain < 0) throw new TypeError('retain has to be a number of events');
      if (batches !== undefined && !(batches.everyEvents >= 1 && batches.everyMs > 0)) {
        throw new TypeError('persist has to say after how many events, or milliseconds, they are stored');
      }
      const log = new TopicLog(this.#storage, name);
      const journal =
        batches === undefined ? new StoringJournal(log, retain) : new BatchingJournal(log, retain, batches);
      topic = new LiveTopic(name, this, journal);
      this.#topics.set(name, topic);
    }
    return topic;
  }

  /** A topic that was not declared since the object woke can still be read. */
  #source(name: string): TopicSource {
    const topic = this.#topics.get(name);
    if (topic !== undefined) return topic;
    const log = new TopicLog(this.#storage, name);
    return { name, newest: Math.max(log.newest, log.given), read: (after, max) => log.read(after, max) };
  }

  #flush(): void {
    const published = [...this.#published];
    this.#published.clear();
    for (const topic of published) topic.flush();
  }
}

const NONE: ReadonlySet<Subscriber> = new Set();
