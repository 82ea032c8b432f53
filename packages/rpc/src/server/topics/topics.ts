import { RpcError } from '../../errors/rpc-error.ts';
import { exceeded } from '../../protocol/errors.ts';
import { splitMessage } from '../../protocol/frame-part.ts';
import { FULL_SIZE } from '../../protocol/frame-writer.ts';
import { countedBytes, type Message } from '../../protocol/message.ts';
import {
  countTogether,
  eventsCost,
  isPosition,
  type SubscribeOptions,
  type Subscription,
  TOPIC_WINDOW,
  type Position as TopicPosition,
  topicParts,
  writeEvents,
} from '../../protocol/topic.ts';
import { checkOptions } from '../../session/check-options.ts';
import { withDefaults } from '../../session/limits.ts';
import { atEndOfTurn } from '../../session/timer.ts';
import { attempt } from '../report.ts';
import type { ServerContext } from '../server-context.ts';
import { BatchingJournal } from './batching-journal.ts';
import { Journal } from './journal.ts';
import { type EventChannel, type NamedTopics, type SubscribedTopic, SubscriptionRequest } from './subscriber.ts';
import { encodeEvent, type Topic, type TopicOptions } from './topic.ts';

const DEFAULT_RETAIN = 100;
/** Largest number in an option: numbers of events are noted ahead by batches, and have to stay exact. */
const MOST = 2_147_483_647;
const DEFAULT_BATCHES = { everyEvents: 100, everyMs: 1000 };

/**
 * Largest number of events in a frame for a subscriber that catches up, so that it can return credit before it has
 * consumed all of them.
 */
const CATCH_UP_EVENTS = TOPIC_WINDOW / 4;

/** The part of an object's server that its topics use. */
interface TopicsHost {
  readonly context: ServerContext;
  /** Its connections, of which `subscribed` returns those that had subscriptions when the object woke. */
  readonly connections: { subscribed(): Iterable<EventChannel> };
}

/** The topics of an object, and their subscribers. */
export class Topics implements NamedTopics {
  readonly storage: DurableObjectStorage;
  readonly #host: () => TopicsHost;
  readonly #topics = new Map<string, LiveTopic>();
  /** Topics to which something was published in this turn. */
  readonly #published = new Set<LiveTopic>();
  /** True once the subscriptions from before the object woke are restored. */
  #isRestored = false;

  /** `host` is called when something is published or subscribed to, not before. */
  constructor(storage: DurableObjectStorage, host: () => TopicsHost) {
    this.storage = storage;
    this.#host = host;
  }

  get context(): ServerContext {
    return this.#host().context;
  }

  /**
   * Returns the topic of that name, the same one each time.
   * @throws {TypeError} if an option is not valid
   */
  topic<Event>(name: string, options: TopicOptions = {}): Topic<Event> {
    const topic = this.named(name);
    if (topic.declared === undefined) {
      checkOptions(options);
      const { retain = DEFAULT_RETAIN, persist } = options;
      const batches = persist && withDefaults(DEFAULT_BATCHES, persist);
      for (const [name, value] of Object.entries({ retain, ...batches })) {
        const least = name === 'retain' ? 0 : 1;
        if (Number.isInteger(value) && value >= least && value <= MOST) continue;
        throw new TypeError(`${name} needs a whole number from ${least} to ${MOST}`);
      }
      topic.declared =
        batches === undefined
          ? new Journal(this.storage, name, retain)
          : new BatchingJournal(this.storage, name, retain, batches, (job) => this.#attempt(name, job));
    }
    return topic as Topic<unknown> as Topic<Event>;
  }

  named(name: string): LiveTopic {
    let topic = this.#topics.get(name);
    if (topic === undefined) {
      topic = new LiveTopic(name, this);
      this.#topics.set(name, topic);
    }
    return topic;
  }

  /** Makes a topic send its published events at the end of the turn, or earlier with the next replies. */
  published(topic: LiveTopic): void {
    if (this.#published.size === 0) {
      atEndOfTurn(this.#flush);
      this.context.load.sendEvents = this.#flush;
    }
    this.#published.add(topic);
    // A topic that was deleted begins anew.
    if (!this.#topics.has(topic.name)) this.#topics.set(topic.name, topic);
  }

  /** Lets go of the name of a topic that was deleted. */
  forget(topic: LiveTopic): void {
    if (topic.subscribers === 0) this.#topics.delete(topic.name);
  }

  /** Restores the subscriptions from before the object woke, once. */
  restore(): void {
    if (this.#isRestored) return;
    this.#isRestored = true;
    for (const channel of this.#host().connections.subscribed()) {
      for (const [name, [count, sent]] of channel.topics ?? []) {
        const isBehind = sent !== undefined;
        const outstanding = isBehind ? TOPIC_WINDOW : 0;
        this.named(name).positions.set(channel, { count, sent: sent ?? 0, outstanding, isBehind });
      }
    }
  }

  /** Called when the answers have been collected: sends them, and the first events of new subscriptions. */
  announced(channel: EventChannel): void {
    if (channel.announce === undefined) return;
    // Sending the answers may first send due events, which must still find the subscriptions unannounced.
    channel.announce();
    channel.announce = undefined;
    for (const name of channel.topics?.keys() ?? []) this.named(name).catchUp(channel);
  }

  /** Ends all subscriptions of a connection that has ended. */
  ended(channel: Partial<EventChannel>): void {
    for (const name of channel.topics?.keys() ?? []) this.#topics.get(name)?.ended(channel as EventChannel);
  }

  /** Notes the topics of a connection, to which one may be new; returns false if there is no room for them. */
  note(channel: EventChannel, topic: string): boolean {
    const noted = new Map<string, [count: number, sent?: number]>();
    for (const name of new Set(channel.topics?.keys()).add(topic)) {
      const { count, isBehind, sent } = this.named(name).positions.get(channel) ?? {};
      if (count !== undefined) noted.set(name, isBehind ? [count, sent] : [count]);
    }
    try {
      channel.note(noted);
      return true;
    } catch {
      return false; // the earlier note stays: a client that was behind sees a gap in the numbers
    }
  }

  /** Sends frames to a connection, and counts them. */
  send(channel: EventChannel, frames: readonly Message[], now = Date.now()): void {
    if (!channel.sendEvents(frames, now)) return;
    const { traffic } = this.context;
    traffic.framesSent += frames.length;
    for (const { length } of frames) traffic.bytesSent += length;
  }

  /** Splits a frame into parts if it is larger than `maxFrameBytes`. */
  partsOf(frame: Message): Message[] {
    const { maxFrameBytes } = this.context.settings.limits;
    return countedBytes(frame, maxFrameBytes) <= maxFrameBytes ? [frame] : [...splitMessage(frame, maxFrameBytes)];
  }

  readonly #flush = (): void => {
    this.context.load.sendEvents = undefined;
    const published = [...this.#published];
    this.#published.clear();
    for (const topic of published) this.#attempt(topic.name, () => topic.flush());
  };

  /** Runs a job that no call waits for, and reports its error. */
  #attempt(topic: string, job: () => void): void {
    attempt(job, (error) => this.context.onError(error, `the topic ${topic}`, undefined));
  }
}

/** The position of a subscribed connection in a topic. */
interface Position {
  /** Number of subscriptions that its client has and has not ended. */
  count: number;
  /** The number of the last event that was sent to it; 0 if it is not behind and the number is no longer known. */
  sent: number;
  /** The cost of the events that were sent to it and that it has not consumed. */
  outstanding: number;
  /** True if it gets no more events before it has consumed some. It then catches up from storage. */
  isBehind: boolean;
}

/** A topic in the memory of its object. Its memory does not depend on how slow the subscribers are. */
class LiveTopic implements Topic<unknown>, SubscribedTopic {
  readonly name: string;
  /** The journal, once the object has declared the topic, which decides how its events are stored. */
  declared: Journal | undefined;
  readonly #topics: Topics;
  readonly #positions = new Map<EventChannel, Position>();
  /** Events that were published and not yet sent. */
  #pending: { number: number; event: Message }[] = [];

  constructor(name: string, topics: Topics) {
    this.name = name;
    this.#topics = topics;
  }

  /** The journal. Before the topic is declared, it is only read from. */
  get #journal(): Journal {
    return this.declared ?? new Journal(this.#topics.storage, this.name);
  }

  get sequence(): number {
    return this.position[1];
  }

  get position(): TopicPosition {
    return this.#journal.newest;
  }

  get subscribers(): number {
    return this.positions.size;
  }

  /** The positions of the subscribed connections. */
  get positions(): Map<EventChannel, Position> {
    this.#topics.restore();
    return this.#positions;
  }

  publish(value: unknown): number {
    const event = encodeEvent(value, this.name, this.#topics.context.settings.errorStacks);
    const number = this.#journal.append(event);
    // The event that had the same number before was rolled back.
    while (this.#pending.length > 0 && this.#pending.at(-1)!.number >= number) this.#pending.pop();
    this.#pending.push({ number, event });
    this.#topics.published(this);
    return number;
  }

  subscribe(options?: SubscribeOptions | undefined): Subscription<never> {
    const since: unknown = options?.since;
    const position = since === undefined ? this.position : since || ['', since];
    if (!isPosition(position)) {
      throw new RpcError('INVALID_ARGUMENTS', 'since has to be the `position` of a subscription or topic, or 0');
    }
    return new SubscriptionRequest(this, position) as unknown as Subscription<never>;
  }

  delete(): void {
    this.#pending = [];
    this.#journal.delete();
    this.#topics.forget(this);
  }

  begin(channel: EventChannel, since: TopicPosition, announce: () => void): unknown[] {
    const { positions } = this;
    const journal = this.#journal;
    const [epoch, newest] = journal.newest;
    const { limits } = this.#topics.context.settings;
    const known = positions.get(channel);
    if (known === undefined && (channel.topics?.size ?? 0) >= limits.maxSubscriptions) {
      throw exceeded('maxSubscriptions', limits, ': end some first');
    }
    this.declared?.prepare();
    const { last, missed } = journal.resume(since);
    const position = known ? { ...known } : { count: 0, sent: last, outstanding: 0, isBehind: false };
    position.count++;
    // Events that were published in this turn are yet to be sent to all that have not caught up with them.
    if (last < Math.max(position.sent, (this.#pending[0]?.number ?? newest + 1) - 1)) {
      position.sent = Math.min(last, position.isBehind ? position.sent : last);
      position.isBehind = true;
    }
    positions.set(channel, position);
    if (!this.#topics.note(channel, this.name)) {
      if (known === undefined) positions.delete(channel);
      else positions.set(channel, known);
      const hint = 'end some first, or give topics shorter names';
      throw new RpcError('LIMIT_EXCEEDED', `a connection has no room to note another subscription: ${hint}`);
    }
    channel.announce = announce;
    atEndOfTurn(() => this.#topics.announced(channel));
    return topicParts({ topic: this.name, last: [epoch, last], missed });
  }

  unsubscribe(channel: EventChannel, count: number): void {
    const position = this.positions.get(channel);
    if (position === undefined) return;
    position.count -= count;
    if (position.count <= 0) {
      this.ended(channel);
      this.#topics.note(channel, this.name);
      return;
    }
    // The remaining subscription is one that the client does not know of yet. The client will not report the events
    // that were sent before it as consumed.
    position.outstanding = 0;
    this.consumed(channel, 0);
  }

  /** Ends the subscriptions of a connection, without a note. */
  ended(channel: EventChannel): void {
    this.#positions.delete(channel);
  }

  consumed(channel: EventChannel, cost: number): void {
    this.#topics.announced(channel);
    const position = this.positions.get(channel);
    if (position === undefined) return;
    position.outstanding = Math.max(0, position.outstanding - cost);
    this.catchUp(channel);
  }

  /** Sends stored events to a connection that is behind, as far as it has credit. */
  catchUp(channel: EventChannel): void {
    const position = this.positions.get(channel);
    if (!position?.isBehind || position.outstanding >= TOPIC_WINDOW) return;
    const journal = this.#journal;
    const [epoch, newest] = journal.newest;
    while (position.isBehind && position.outstanding < TOPIC_WINDOW) {
      const run = journal.read(position.sent, CATCH_UP_EVENTS);
      // A frame without events tells the number of the next event.
      const { first, events: all } = run ?? { first: newest + 1, events: [] };
      const events = all.slice(0, countTogether(all));
      const frame = writeEvents(this.name, [epoch, first], events);
      this.#topics.send(channel, this.#topics.partsOf(frame));
      position.sent = first + events.length - 1;
      position.outstanding += events.length === 0 ? 0 : eventsCost(events.length, frame.length);
      position.isBehind = position.sent < newest;
    }
    this.#topics.note(channel, this.name);
  }

  /** Sends the published events that were not rolled back since. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = [];
    const { size } = this.positions;
    if (size === 0 && !this.#journal.storesLater) return;
    const newest = this.#journal.commitTurn();
    if (size === 0) return;
    for (let at = 0; at < pending.length && pending[at].number <= newest; ) {
      const first = pending[at].number;
      const events: Message[] = [];
      let length = 0;
      do {
        const { event } = pending[at++];
        events.push(event);
        length += event.length;
        // An event that holds bytes goes alone.
        if (length >= FULL_SIZE || typeof event !== 'string' || typeof pending[at]?.event !== 'string') break;
      } while (first + events.length <= newest && pending[at].number === first + events.length);
      this.#send(events, first);
    }
  }

  /** Sends events to all subscribers, in one frame that all of them share. */
  #send(events: readonly Message[], first: number): void {
    const last = first + events.length - 1;
    const frame = writeEvents(this.name, [this.#journal.ownEpoch, first], events);
    const parts = this.#topics.partsOf(frame);
    const cost = eventsCost(events.length, frame.length);
    const now = Date.now();
    for (const [channel, position] of this.#positions) {
      if (channel.announce !== undefined) this.#topics.announced(channel);
      if (position.isBehind || position.sent >= last) continue;
      if (position.outstanding >= TOPIC_WINDOW) {
        position.isBehind = true;
        position.sent = first - 1;
        this.#topics.note(channel, this.name);
        continue;
      }
      position.sent = last;
      position.outstanding += cost;
      this.#topics.send(channel, parts, now);
    }
  }
}
