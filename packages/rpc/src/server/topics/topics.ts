import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import { exceeded, malformed, refusal } from '../../errors.ts';
import type { Feature } from '../../peer/options.ts';
import { atEndOfTurn } from '../../peer/peer.ts';
import { isPosition } from '../../position.ts';
import { json } from '../../protocol.ts';
import type { Caller } from '../../types/call-context.ts';
import type { Message } from '../../types/message.ts';
import type { Position, SubscribeOptions, Subscription } from '../../types/topic.ts';
import { answeredCall } from '../context.ts';
import type { Session } from '../session.ts';
import type { ServerSettings } from '../settings.ts';
import { BatchingJournal } from './batching-journal.ts';
import { Journal, type Run } from './journal.ts';
import { encodeEvent, type Topic, type TopicOptions } from './topic.ts';
import type { EpochRun, TopicJournal, TurnEvents } from './topic-journal.ts';

const DEFAULT_RETAIN = 100;
/** Numbers are noted ahead by batches, and have to stay exact: a batch beyond memory would be of no use either. */
const MAX_BATCH = 1_000_000;
/** The longest delay of a timer, about 24 days. */
const LONGEST_MS = 2_147_483_647;
/** The size of a frame of events at most, about. */
const FULL_SIZE = 262_144;
/** Events that are read at once for a subscriber that was away. */
const CATCH_UP_EVENTS = 256;

/** A connection that gets events. */
export interface Subscriber {
  readonly caller: Caller;
  /** The topics that it is subscribed to, with the numbers of its subscriptions. */
  readonly topics: ReadonlyMap<string, number>;
  /** Keeps the topics, even while the object is not in memory; throws if there is no room for them. */
  note(topics: ReadonlyMap<string, number>): void;
  /** Sends a message, unless its caller's identity has expired. */
  sendEvents(message: Message): void;
}

/** The parts of the object's server that topics need. */
interface TopicsHost {
  settings(): ServerSettings;
  /** Returns the connections that had subscriptions when the object woke. */
  subscribed(): Iterable<Subscriber>;
  /** Returns the connection of a session; undefined if it does not last. */
  subscriberOf(session: Session): Subscriber | undefined;
}

const NOBODY: ReadonlySet<Subscriber> = new Set();

/** Returned by `subscribe()`: stands for a subscription until the result of the call is sent. */
class SubscriptionRequest {
  readonly topic: LiveTopic;
  /** The position behind which the subscription begins. */
  readonly since: Position;

  constructor(topic: LiveTopic, since: Position) {
    this.topic = topic;
    this.since = since;
  }
}

/** Returns true for what `subscribe()` returns, which only this library's own protocol can carry. */
export function isSubscription(value: unknown): boolean {
  return value instanceof SubscriptionRequest;
}

/** The topics of an object, and their subscribers. */
export class Topics {
  readonly storage: DurableObjectStorage;
  readonly host: TopicsHost;
  private readonly topics = new Map<string, LiveTopic>();
  /** The connections that get the events of a topic, by its name: the one of that name may be another one by now. */
  private readonly subscribers = new Map<string, Set<Subscriber>>();
  /** True once the connections from before the object woke are among the subscribers of their topics. */
  private isWoken = false;
  /** Topics to which something was published in this turn. */
  private readonly published = new Set<LiveTopic>();
  /** Subscriptions whose clients are not told of them yet. */
  private newcomers: {
    readonly topic: LiveTopic;
    readonly session: Session;
    readonly subscriber: Subscriber;
    readonly last: number;
    readonly missedEvents: (() => Iterable<EpochRun>) | undefined;
    unsent?: Run | undefined;
  }[] = [];

  constructor(storage: DurableObjectStorage, host: TopicsHost) {
    this.storage = storage;
    this.host = host;
  }

  /** Finds the subscribers from before the object woke, once: an object that wakes for a call may not need them. */
  private wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    for (const subscriber of this.host.subscribed()) {
      for (const name of subscriber.topics.keys()) this.add(name, subscriber);
    }
  }

  /** The connections that get each event of a topic. */
  subscribed(name: string): ReadonlySet<Subscriber> {
    this.wake();
    return this.subscribers.get(name) ?? NOBODY;
  }

  add(name: string, subscriber: Subscriber): void {
    if (!this.subscribers.get(name)?.add(subscriber)) this.subscribers.set(name, new Set([subscriber]));
  }

  private remove(name: string, subscriber: Subscriber): void {
    const known = this.subscribers.get(name);
    if (known?.delete(subscriber) && known.size === 0) this.subscribers.delete(name);
  }

  /**
   * Returns the topic of that name, the same one each time.
   * @throws {TypeError} if an option is not valid
   */
  topic<Event>(name: string, { retain = DEFAULT_RETAIN, persist, journal: given }: TopicOptions = {}): Topic<Event> {
    const known = this.topics.get(name);
    if (known !== undefined) return known as Topic<unknown> as Topic<Event>;
    requireCount('retain', retain, 0, Number.MAX_SAFE_INTEGER);
    let journal: TopicJournal;
    if (given !== undefined) journal = given;
    else if (persist === undefined) journal = new Journal(this.storage, name, retain);
    else {
      if (typeof persist !== 'object') throw new TypeError('persist needs options, such as { everyMs: 1000 }');
      const { everyEvents = 100, everyMs = 1000 } = persist;
      requireCount('everyEvents', everyEvents, 1, MAX_BATCH);
      requireCount('everyMs', everyMs, 1, LONGEST_MS);
      const attempt = (job: () => void) => this.attempt(name, job);
      journal = new BatchingJournal(this.storage, name, retain, { everyEvents, everyMs }, attempt);
    }
    const topic = new LiveTopic(name, journal, this);
    this.topics.set(name, topic);
    return topic as Topic<unknown> as Topic<Event>;
  }

  /** Makes a topic send its published events at the end of the turn, or earlier with the next answers. */
  note(topic: LiveTopic): void {
    if (this.published.size === 0) atEndOfTurn(() => this.flush());
    this.published.add(topic);
    // A topic that was deleted begins anew.
    if (!this.topics.has(topic.name)) this.topics.set(topic.name, topic);
  }

  /** Lets go of the name of a topic that was deleted. */
  forget(topic: LiveTopic): void {
    if (topic.subscribed.size === 0) this.topics.delete(topic.name);
  }

  /** Sends the events that were published in this turn. */
  flush(): void {
    if (this.published.size === 0) return;
    const published = [...this.published];
    this.published.clear();
    for (const each of this.newcomers) each.unsent = each.topic.unsent(each.last, each.unsent);
    for (const topic of published) this.attempt(topic.name, () => topic.flush());
  }

  /** Subscribes a connection behind a position. `announced` sends it what it has missed, once its client knows of it. */
  begin(topic: LiveTopic, session: Session, since: Position): { parts: unknown[]; sent: () => void } {
    const subscriber = this.host.subscriberOf(session);
    if (subscriber === undefined) {
      throw refusal(
        'NOT_CLONEABLE',
        'a subscription can only be the result of a call, over a connection to its object that lasts',
      );
    }
    // It gets events only when it has got what it has missed.
    this.wake();
    const { topics } = subscriber;
    const { limits } = this.host.settings();
    if (!topics.has(topic.name) && topics.size >= limits.maxSubscriptions) throw exceeded('maxSubscriptions', limits);
    topic.journal.prepare();
    const { last, missed, epoch = topic.journal.newest[0], missedEvents } = topic.journal.resume(since);
    if (!isNoted(subscriber, topic.name)) {
      throw refusal(
        'LIMIT_EXCEEDED',
        'a connection has no room to note another subscription: end some first, or give topics shorter names',
      );
    }
    // It counts when it is sent: a result may be written twice, or refused after all.
    subscriber.note(topics);
    return {
      parts: [topic.name, [epoch, last], ...(missed > 0 ? [missed] : [])],
      sent: () => {
        isNoted(subscriber, topic.name);
        this.newcomers.push({ topic, session, subscriber, last, missedEvents });
      },
    };
  }

  /** Sends what the new subscriptions of a client have missed: it knows of them now. */
  announce(session: Session): void {
    if (this.newcomers.length === 0) return;
    const known = this.newcomers.filter((each) => each.session === session);
    this.newcomers = this.newcomers.filter((each) => each.session !== session);
    for (const { topic, subscriber, last, unsent, missedEvents } of known) {
      // There was no room for it after all, or the object has ended it.
      if (!subscriber.topics.has(topic.name)) subscriber.sendEvents(json({ end: topic.name }));
      else this.attempt(topic.name, () => topic.catchUp(subscriber, last, missedEvents, unsent));
    }
  }

  /** Ends one of a client's subscriptions to a topic. */
  leave(session: Session, name: unknown): void {
    const subscriber = this.host.subscriberOf(session);
    const count = subscriber?.topics.get(name as string);
    if (subscriber !== undefined && count !== undefined) this.leaveWith(subscriber, name as string, count - 1);
  }

  /** Ends a connection's subscriptions to a topic, and tells its client. */
  end(subscriber: Subscriber, name: string): void {
    if (!subscriber.topics.has(name)) return;
    this.leaveWith(subscriber, name, 0);
    subscriber.sendEvents(json({ end: name }));
  }

  /** Has a connection keep so many of its subscriptions to a topic. */
  private leaveWith(subscriber: Subscriber, name: string, count: number): void {
    const topics = new Map(subscriber.topics);
    topics.set(name, count);
    if (count === 0) topics.delete(name);
    if (count === 0) this.remove(name, subscriber);
    subscriber.note(topics);
  }

  /** Ends all subscriptions of a connection that has ended. */
  ended(subscriber: Subscriber): void {
    if (!this.isWoken) return;
    this.newcomers = this.newcomers.filter((each) => each.subscriber !== subscriber);
    for (const name of subscriber.topics.keys()) this.remove(name, subscriber);
  }

  /** Runs a job that no call waits for, and reports its error. */
  private attempt(topic: string, job: () => void): void {
    try {
      job();
    } catch (error) {
      this.host.settings().shared.error(error, `the topic ${topic}`);
    }
  }
}

/** A topic in the memory of its object. Its memory does not depend on its subscribers. */
class LiveTopic implements Topic<unknown> {
  readonly name: string;
  readonly journal: TopicJournal;
  private readonly topics: Topics;
  /** Events that were published and not yet sent. */
  private pending: { number: number; event: Message }[] = [];

  constructor(name: string, journal: TopicJournal, topics: Topics) {
    this.name = name;
    this.journal = journal;
    this.topics = topics;
  }

  /** The connections that get each event. */
  get subscribed(): ReadonlySet<Subscriber> {
    return this.topics.subscribed(this.name);
  }

  get sequence(): number {
    return this.position[1];
  }

  get position(): Position {
    return this.journal.newest;
  }

  get subscribers(): number {
    return this.subscribed.size;
  }

  publish(value: unknown): number {
    const event = encodeEvent(value, this.name, this.topics.host.settings().stacks);
    const number = this.journal.append(event);
    // The event that had the same number before was rolled back.
    while (this.pending.length > 0 && this.pending.at(-1)!.number >= number) this.pending.pop();
    this.pending.push({ number, event });
    this.topics.note(this);
    return number;
  }

  subscribe(options?: SubscribeOptions | undefined): Subscription<never> {
    // A client that goes on with a subscription says where, whatever the method asks for.
    const since: unknown = answeredCall()?.since ?? options?.since;
    const position = since === undefined ? this.position : since || ['', since];
    if (!isPosition(position)) {
      throw refusal('INVALID_ARGUMENTS', 'since has to be the `position` of a subscription or topic, or 0');
    }
    return new SubscriptionRequest(this, position) as unknown as Subscription<never>;
  }

  delete(): void {
    this.pending = [];
    this.journal.delete();
    this.topics.forget(this);
  }

  /**
   * Sends stored events to a subscriber, and from then on each new one. `unsent` are those of the turn in which it has
   * subscribed, which may not be stored.
   */
  catchUp(subscriber: Subscriber, last: number, missed?: () => Iterable<EpochRun>, unsent?: Run): void {
    const { journal } = this;
    const [epoch, newest] = journal.newest;
    for (const run of missed?.() ?? []) {
      for (const message of messagesOf(this.name, run)) subscriber.sendEvents(message);
    }
    for (let sent = last; missed === undefined && sent < newest; ) {
      const run = journal.read(sent, CATCH_UP_EVENTS) ?? (sent === last ? unsent : undefined);
      // A frame without events tells the number of the next event.
      const { first, events: all } = run ?? { first: newest + 1, events: [] };
      const events = all.slice(0, newest + 1 - first); // others were rolled back
      for (const message of messagesOf(this.name, { epoch, first, events })) subscriber.sendEvents(message);
      sent = first + events.length - 1;
    }
    this.topics.add(this.name, subscriber);
  }

  /** Returns the events of this turn behind those that are known. */
  unsent(after: number, known?: Run): Run | undefined {
    const { first, events } = known ?? { first: after + 1, events: [] };
    const more = this.pending.filter(({ number }) => number >= first + events.length);
    if (more.length === 0) return known;
    const all = [...events, ...more.map(({ event }) => event)];
    return { first: events.length > 0 ? first : more[0].number, events: all };
  }

  /** Sends the published events that were not rolled back since, in messages that all subscribers share. */
  flush(): void {
    const { pending } = this;
    this.pending = [];
    if (this.subscribed.size === 0 && !this.journal.storesLater) return;
    const { journal } = this;
    const newest = journal.commitTurn();
    const events = pending.filter(({ number }) => number <= newest);
    if (this.subscribed.size === 0 || events.length === 0) return;
    const run: TurnEvents | undefined =
      journal.turnEvents === undefined
        ? { epoch: journal.ownEpoch, first: events[0].number, events: events.map(({ event }) => event) }
        : journal.turnEvents();
    if (run === undefined) return;
    const messages = messagesOf(this.name, run);
    for (const subscriber of this.subscribed) {
      const calls = run.calls?.get(subscriber.caller.connectionId);
      const its = calls === undefined ? messages : messagesOf(this.name, run, calls);
      for (const message of its) subscriber.sendEvents(message);
    }
  }
}

/** Counts a subscription of a connection. Returns false if there is no room for it. */
function isNoted(subscriber: Subscriber, name: string): boolean {
  const { topics } = subscriber;
  try {
    subscriber.note(new Map(topics).set(name, (topics.get(name) ?? 0) + 1));
    return true;
  } catch {
    return false;
  }
}

/** Writes consecutive events into messages. An event that holds bytes is alone, so that it is clear whose they are. */
function messagesOf(topic: string, { epoch, first, events }: EpochRun, calls?: readonly number[]): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < events.length || messages.length === 0; ) {
    const named = calls === undefined ? '' : `"calls":[${calls}],`;
    const start = `{"topic":${JSON.stringify(topic)},${named}"first":[${JSON.stringify(epoch)},${first + at}],"events":[`;
    const event = events[at];
    if (event instanceof Uint8Array) {
      const { text, tail } = fromMessage(event);
      messages.push(toMessage(`${start}${text}]}`, tail === undefined ? [] : [tail]));
      at++;
      continue;
    }
    const together: string[] = [];
    for (let size = 0; size < FULL_SIZE && typeof events[at] === 'string'; at++) {
      together.push(events[at] as string);
      size += events[at].length;
    }
    messages.push(`${start}${together}]}`);
    if (together.length === 0) break;
  }
  return messages;
}

/** @throws {TypeError} if an option of a topic is no whole number within bounds */
function requireCount(name: string, value: unknown, least: number, most: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
  throw new TypeError(`${name} needs a whole number from ${least} to ${most}`);
}

/** Subscriptions as results, and the end of them. */
export const topics: Feature = {
  pass(value, writer) {
    if (!(value instanceof SubscriptionRequest)) return undefined;
    const session = writer.peer as Session;
    const of = writer.node === undefined ? session.topics : undefined;
    if (of === undefined)
      throw refusal('NOT_CLONEABLE', 'a subscription can only be the result of a call to its object');
    const { parts, sent } = of().begin(value.topic, session, value.since);
    writer.sent ??= new Map();
    writer.sent.set(value, sent);
    return { name: 'topic', parts };
  },
  signals: {
    leave: (peer, { leave }) => {
      if (typeof leave !== 'string') throw malformed('leave');
      (peer as Session).topics?.().leave(peer as Session, leave);
    },
  },
};
