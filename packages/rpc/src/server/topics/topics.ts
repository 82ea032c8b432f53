import { atEndOfTurn } from '../../session/turn.ts';
import { BatchingJournal } from './batching-journal.ts';
import { type EventSource, TopicLog } from './journal.ts';
import { type EventChannel, type NotedTopics, Subscriber, type SubscriberHost } from './subscriber.ts';
import { LiveTopic, type Topic, type TopicHost, type TopicOptions } from './topic.ts';

/** What topics need of the server of their object. */
export interface TopicsHost {
  readonly limits: SubscriberHost['limits'];
  readonly errorStacks: boolean;
  /** The sockets that were open when the object woke and are subscribed to something, with how to reach them. */
  noted(): Iterable<readonly [connection: object, channel: EventChannel, topics: NotedTopics]>;
  /** How to reach a connection. */
  channelOf(connection: object): EventChannel;
}

const DEFAULT_RETAIN = 100;
const DEFAULT_BATCHES = { everyEvents: 100, everyMs: 1000 };

/** The topics of an object, and who is subscribed to them. */
export class Topics implements TopicHost, SubscriberHost {
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

  get limits(): SubscriberHost['limits'] {
    return this.#host().limits;
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

  subscribersOf(topic: string): ReadonlySet<Subscriber> {
    this.#all();
    return this.#byTopic.get(topic) ?? NONE;
  }

  /** The subscriptions of a connection; made where it has none. */
  subscriber(connection: object): Subscriber {
    return this.#all().get(connection) ?? this.#add(connection, this.#host().channelOf(connection));
  }

  /** Forgets a connection that has ended. */
  forget(connection: object): void {
    const subscriber = this.#subscribers?.get(connection);
    if (subscriber === undefined) return;
    this.#subscribers!.delete(connection);
    for (const topic of subscriber.topics) this.changed(topic, subscriber, false);
  }

  changed(topic: string, subscriber: Subscriber, isSubscribed: boolean): void {
    const subscribers = this.#byTopic.get(topic) ?? new Set();
    if (isSubscribed) this.#byTopic.set(topic, subscribers.add(subscriber));
    else if (subscribers.delete(subscriber) && subscribers.size === 0) this.#byTopic.delete(topic);
  }

  /** A topic that was not declared since the object woke can still be read. */
  source(name: string): EventSource {
    return this.#topics.get(name)?.journal ?? new TopicLog(this.#storage, name);
  }

  #all(): Map<object, Subscriber> {
    if (this.#subscribers === undefined) {
      this.#subscribers = new Map();
      for (const [connection, channel, noted] of this.#host().noted()) this.#add(connection, channel, noted);
    }
    return this.#subscribers;
  }

  #add(connection: object, channel: EventChannel, noted?: NotedTopics): Subscriber {
    const subscriber = new Subscriber(this, channel, noted);
    this.#subscribers!.set(connection, subscriber);
    return subscriber;
  }

  #find(name: string, { retain = DEFAULT_RETAIN, persist }: TopicOptions): LiveTopic {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      const batches = persist && { ...DEFAULT_BATCHES, ...persist };
      if (!Number.isSafeInteger(retain) || retain < 0) throw new TypeError('retain has to be a number of events');
      if (batches !== undefined && !(batches.everyEvents >= 1 && batches.everyMs > 0)) {
        throw new TypeError('persist has to say after how many events, or milliseconds, they are stored');
      }
      const log = new TopicLog(this.#storage, name, retain);
      const journal = batches === undefined ? log : new BatchingJournal(log, retain, batches);
      topic = new LiveTopic(name, this, journal);
      this.#topics.set(name, topic);
    }
    return topic;
  }

  #flush(): void {
    const published = [...this.#published];
    this.#published.clear();
    for (const topic of published) topic.flush();
  }
}

const NONE: ReadonlySet<Subscriber> = new Set();
