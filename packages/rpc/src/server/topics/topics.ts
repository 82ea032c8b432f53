import { RpcError } from '../../errors/rpc-error.ts';
import { FULL_SIZE } from '../../protocol/frame-writer.ts';
import type { Message } from '../../protocol/message.ts';
import { isId } from '../../protocol/tags.ts';
import {
  eventsCost,
  type SubscribeOptions,
  type Subscription,
  TOPIC_WINDOW,
  writeEvents,
} from '../../protocol/topic.ts';
import type { RpcLimits } from '../../session/limits.ts';
import { atEndOfTurn } from '../../session/timer.ts';
import type { ServerContext } from '../server-context.ts';
import { BatchingJournal } from './batching-journal.ts';
import { Journal } from './journal.ts';
import {
  type EventChannel,
  type Position,
  partsOf,
  Subscriber,
  type SubscriberHost,
  SubscriptionRequest,
} from './subscriber.ts';
import { encodeEvent, type Topic, type TopicOptions } from './topic.ts';

const DEFAULT_RETAIN = 100;
const DEFAULT_BATCHES = { everyEvents: 100, everyMs: 1000 };

/** The topics of an object, and their subscribers. */
export class Topics implements SubscriberHost {
  readonly #storage: DurableObjectStorage;
  readonly #askContext: () => ServerContext;
  #context: ServerContext | undefined;
  readonly #subscribed: () => Iterable<EventChannel>;
  readonly #topics = new Map<string, LiveTopic>();
  /** Topics to which something was published in this turn. */
  readonly #published = new Set<LiveTopic>();
  /** True once the subscriptions from before the object woke are restored. */
  #isRestored = false;
  readonly #positions = new Map<string, Set<Position>>();

  /**
   * `context` and `subscribed` are called when something is published or subscribed to, not before. `subscribed`
   * returns the connections that had subscriptions when the object woke.
   */
  constructor(storage: DurableObjectStorage, context: () => ServerContext, subscribed: () => Iterable<EventChannel>) {
    this.#storage = storage;
    this.#askContext = context;
    this.#subscribed = subscribed;
  }

  get context(): ServerContext {
    this.#context ??= this.#askContext();
    return this.#context;
  }

  get limits(): RpcLimits {
    return this.context.settings.limits;
  }

  /**
   * Returns the topic of that name, the same one each time.
   * @throws {TypeError} if an option is not valid
   */
  topic<Event>(name: string, { retain = DEFAULT_RETAIN, persist }: TopicOptions = {}): Topic<Event> {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      const batches = persist && { ...DEFAULT_BATCHES, ...persist };
      if (!Number.isSafeInteger(retain) || retain < 0) throw new TypeError('retain has to be a number of events');
      if (batches !== undefined && !(batches.everyEvents >= 1 && batches.everyMs > 0)) {
        throw new TypeError('persist has to say after how many events, or milliseconds, they are stored');
      }
      const journal =
        batches === undefined
          ? new Journal(this.#storage, name, retain)
          : new BatchingJournal(this.#storage, name, retain, batches);
      topic = new LiveTopic(name, this, journal);
      this.#topics.set(name, topic);
    }
    return topic as Topic<unknown> as Topic<Event>;
  }

  /** Makes a topic send its published events at the end of the turn, or earlier with the next replies. */
  published(topic: LiveTopic): void {
    if (this.#published.size === 0) {
      atEndOfTurn(this.#flush);
      this.context.load.sendEvents = this.#flush;
    }
    this.#published.add(topic);
  }

  /** Returns the positions of a topic's subscribers. */
  positionsIn(topic: string): ReadonlySet<Position> {
    this.#restore();
    return this.#positions.get(topic) ?? NONE;
  }

  /** Returns the subscriptions of a connection, made on first use. */
  subscriber(channel: EventChannel): Subscriber {
    this.#restore();
    channel.subscriber ??= new Subscriber(this, channel);
    return channel.subscriber;
  }

  added(topic: string, position: Position): void {
    const positions = this.#positions.get(topic);
    if (positions === undefined) this.#positions.set(topic, new Set([position]));
    else positions.add(position);
  }

  removed(topic: string, position: Position): void {
    const positions = this.#positions.get(topic);
    if (positions?.delete(position) && positions.size === 0) this.#positions.delete(topic);
  }

  /** Returns the events of a topic. A topic that was not declared since the object woke can still be read. */
  source(name: string): Journal {
    return this.#topics.get(name)?.journal ?? new Journal(this.#storage, name);
  }

  send(channel: EventChannel, frames: readonly Message[]): void {
    if (channel.sendEvents(frames, Date.now())) this.count(frames, 1);
  }

  /** Counts frames that were sent to a number of connections. */
  count(frames: readonly Message[], connections: number): void {
    const { traffic } = this.context;
    traffic.framesSent += frames.length * connections;
    for (const { length } of frames) traffic.bytesSent += length * connections;
  }

  #restore(): void {
    if (this.#isRestored) return;
    this.#isRestored = true;
    for (const channel of this.#subscribed()) channel.subscriber ??= new Subscriber(this, channel);
  }

  readonly #flush = (): void => {
    this.context.load.sendEvents = undefined;
    const published = [...this.#published];
    this.#published.clear();
    for (const topic of published) topic.flush();
  };
}

const NONE: ReadonlySet<Position> = new Set();

/** A topic in the memory of its object. */
class LiveTopic implements Topic<unknown> {
  readonly name: string;
  readonly journal: Journal;
  readonly #topics: Topics;
  /** Events that were published and not yet sent. */
  #pending: { number: number; event: Message }[] = [];

  constructor(name: string, topics: Topics, journal: Journal) {
    this.name = name;
    this.journal = journal;
    this.#topics = topics;
  }

  get sequence(): number {
    return this.journal.newest;
  }

  get subscribers(): number {
    return this.#topics.positionsIn(this.name).size;
  }

  publish(value: unknown): number {
    const event = encodeEvent(value, this.name, this.#topics.context.settings.errorStacks);
    const number = this.journal.append(event);
    // The event that had the same number before was rolled back.
    while (this.#pending.length > 0 && this.#pending.at(-1)!.number >= number) this.#pending.pop();
    this.#pending.push({ number, event });
    this.#topics.published(this);
    return number;
  }

  subscribe(options?: SubscribeOptions | undefined): Subscription<never> {
    const since: unknown = options?.since;
    if (since !== undefined && !isId(since)) {
      throw new RpcError('INVALID_ARGUMENTS', 'since has to be the number of an event, or 0');
    }
    return new SubscriptionRequest(this.name, this.journal, since ?? this.sequence) as unknown as Subscription<never>;
  }

  /** Sends the published events that were not rolled back since. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    const positions = this.#topics.positionsIn(this.name);
    if (positions.size === 0 && !this.journal.storesLater) return;
    const newest = this.journal.commitTurn();
    if (positions.size === 0) return;
    for (let at = 0; at < pending.length && pending[at].number <= newest; ) {
      const first = pending[at].number;
      const events: Message[] = [];
      let size = 0;
      do {
        const { event } = pending[at++];
        events.push(event);
        size += event.length;
        // An event that holds bytes goes alone.
        if (size >= FULL_SIZE || typeof event !== 'string' || typeof pending[at]?.event !== 'string') break;
      } while (first + events.length <= newest && pending[at].number === first + events.length);
      this.#send(events, first, positions);
    }
  }

  /** Sends events to all subscribers, in one frame that all of them share. */
  #send(events: readonly Message[], first: number, positions: ReadonlySet<Position>): void {
    const last = first + events.length - 1;
    const frame = writeEvents(this.name, first, events);
    const parts = partsOf(frame, this.#topics.limits.maxFrameBytes);
    const cost = eventsCost(events.length, frame.length);
    const now = Date.now();
    let reached = 0;
    for (const position of positions) {
      const { subscriber } = position;
      if (subscriber.announce !== undefined) subscriber.announced();
      if (position.count <= 0 || position.isBehind || position.sent >= last) continue;
      if (position.outstanding >= TOPIC_WINDOW) {
        subscriber.fallBehind(position, first - 1);
        continue;
      }
      position.sent = last;
      position.outstanding += cost;
      if (subscriber.channel.sendEvents(parts, now)) reached++;
    }
    this.#topics.count(parts, reached);
  }
}
