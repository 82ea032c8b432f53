import { SENDS_AT_ANY_TIME } from '#platform';
import { malformed, RpcError } from '../errors.ts';
import type { Call } from '../peer/call.ts';
import type { Ahead, Feature } from '../peer/options.ts';
import type { Peer } from '../peer/peer.ts';
import { readValue } from '../peer/reader.ts';
import { isPosition, lifeOf } from '../position.ts';
import { json } from '../protocol.ts';
import type { Position } from '../types/topic.ts';
import type { Client } from './client.ts';

/** Items that wait to be read before a subscription stops, until they are. */
const MAX_WAITING = 1000;
/** Microtasks in which a reader reads something if it reads at all, and those that events are waited for at most. */
const IDLE_JOBS = 16;
const MAX_JOBS = 20_000;
/** Shortest wait before a busy server is asked again to go on with a subscription, in milliseconds. */
const RETRY_MS = 1000;

interface Item {
  readonly sequence: number;
  readonly event?: unknown;
  readonly missed?: number;
  readonly calls?: unknown;
}

/** An event that has arrived: it is read when its item is. */
interface Arrived extends Item {
  readonly epoch: string;
  /** The bytes of its frame. */
  readonly tail?: Uint8Array | undefined;
}

type Result = IteratorResult<Item, undefined>;
const DONE: Result = { done: true, value: undefined };

/** The items that have arrived for one subscription, and the reads that wait for more. */
class Inbox {
  declare readonly peer: Peer;
  declare topic: string;
  /** The epoch and number of the last event that has arrived or is known to be missing. */
  declare epoch: string;
  declare received: number;
  /** Where the reader is: behind the last event that was read. */
  declare position: Position;
  /** The operations that subscribe again; undefined if the subscription ends with its connection. */
  declare operations: string | undefined;
  /** True while the reader waits, and has asked for more after the last item that it was handed. */
  declare isRead: boolean;
  /** `live`: events arrive. `paused`: they have to be asked for. `asked`: they were. `over`: nobody wants more. */
  declare state: 'live' | 'paused' | 'asked' | 'over';
  #waiting: Arrived[];
  #reads: PromiseWithResolvers<Result>[];
  #failure: { readonly reason: unknown } | undefined;

  constructor(peer: Peer, position: Position, operations: string | undefined) {
    this.peer = peer;
    this.operations = operations;
    this.topic = this.epoch = '';
    this.received = 0;
    this.position = position;
    this.state = 'live';
    this.isRead = false;
    this.#waiting = [];
    this.#reads = [];
    this.#failure = undefined;
  }

  /** The number of items that wait to be read. */
  get unread(): number {
    return this.#waiting.length;
  }

  /** Begins, or goes on, behind a position. `missed` events before it are not available any more. */
  begin(topic: string, [epoch, last]: Position, missed: number): void {
    this.topic = topic; // another one, if the method has decided so
    if (this.state === 'over') return leave(this);
    this.state = 'live';
    // It was asked for again before this answer came, and has gone on since.
    if (missed === 0 && last < this.received && lifeOf(epoch) === lifeOf(this.epoch)) return;
    this.epoch = epoch;
    if (missed > 0) this.#add({ epoch, sequence: last, missed });
    this.received = last;
  }

  /** Adds events, but those that are known, and a gap for those that are missing. */
  receive([epoch, first]: Position, events: readonly unknown[], tail?: Uint8Array, calls?: unknown): void {
    if (this.state !== 'live') return;
    // Numbers of another life of the topic begin anew.
    const isNew = this.received > 0 && lifeOf(epoch) !== lifeOf(this.epoch);
    this.epoch = epoch;
    const missed = isNew ? Infinity : first - 1 - this.received;
    if (missed > 0) this.#add({ epoch, sequence: first - 1, missed });
    for (const [at, event] of events.entries()) {
      if (first + at > this.received) this.#add({ epoch, sequence: first + at, event, tail, calls });
    }
    // A reader that is this far behind asks for the rest when it has come to it.
    if (this.#waiting.length > MAX_WAITING && this.operations !== undefined) {
      this.state = 'paused';
      leave(this);
    }
  }

  #add(item: Arrived): void {
    this.received = item.sequence;
    const read = this.#reads.shift();
    if (read === undefined) this.#waiting.push(item);
    else this.#hand(item, read);
  }

  #hand(
    { epoch, sequence, event, missed, tail, calls }: Arrived,
    { resolve, reject }: PromiseWithResolvers<Result>,
  ): void {
    this.position = [epoch, sequence];
    this.isRead = false;
    try {
      const value: Item =
        missed === undefined ? { sequence, event: readValue(this.peer, event, { tail }) } : { sequence, missed };
      resolve({ done: false, value: calls === undefined ? value : { ...value, calls } });
    } catch (error) {
      // An event that cannot be read ends the subscription.
      this.end();
      reject(error);
    }
  }

  next(): Promise<Result> {
    const read = Promise.withResolvers<Result>();
    const item = this.#waiting.shift();
    if (item !== undefined) this.#hand(item, read);
    else if (this.#failure !== undefined) {
      read.reject(this.#failure.reason);
      this.#failure = undefined;
    } else if (this.state === 'over') read.resolve(DONE);
    else {
      this.#reads.push(read);
      this.isRead = true;
      // Without a connection, the next one goes on with it.
      if (this.state === 'paused' && this.peer.isReady) feedsOf(this.peer).goOn(this);
    }
    return read.promise;
  }

  /** Ends the subscription: nobody wants more. With a reason, the reader gets it behind what has arrived. */
  end(failure?: { readonly reason: unknown }): void {
    if (this.state === 'live' && failure === undefined) leave(this);
    if (this.state === 'over') return;
    this.state = 'over';
    feedsOf(this.peer).inboxes.delete(this);
    if (failure === undefined) this.#waiting = [];
    const reads = this.#reads.splice(0);
    if (failure !== undefined && reads.length > 0) reads.shift()!.reject(failure.reason);
    else this.#failure = failure;
    for (const { resolve } of reads) resolve(DONE);
  }
}

/** Tells the server that this side wants no more events for a subscription. */
function leave({ peer, topic }: Inbox): void {
  peer.flush();
  peer.signal(json({ leave: topic }));
}

/** The subscription that a caller receives. It can be iterated once, by one reader. */
class Subscription implements AsyncIterableIterator<Item, undefined>, Disposable {
  readonly #inbox: Inbox;

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    // For engines without `Symbol.dispose`: compiled `using` asks for `Symbol.for('Symbol.dispose')`, or for a symbol
    // that was added after this class was created.
    const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
    if (!(dispose in this)) Reflect.set(this, dispose, this.return);
  }

  get sequence(): number {
    return this.position[1];
  }

  get position(): Position {
    return this.#inbox.position;
  }

  next(): Promise<Result> {
    return this.#inbox.next();
  }

  async return(): Promise<Result> {
    this.#inbox.end();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#inbox.end();
  }
}

/** The subscriptions of a client, over all of its connections. */
class Feeds {
  readonly peer: Peer;
  declare readonly inboxes: Set<Inbox>;
  /** Subscriptions that are asked for again, by the ids of the calls that do. */
  readonly #resuming: Map<number, Inbox>;
  readonly #collected: FinalizationRegistry<Inbox>;

  constructor(peer: Peer) {
    this.peer = peer;
    this.inboxes = new Set();
    this.#resuming = new Map();
    this.#collected = new FinalizationRegistry((inbox) => {
      if (SENDS_AT_ANY_TIME) inbox.end();
      else inbox.state = 'over'; // it is left with the next events
    });
  }

  /** Makes the subscription of a mark, or goes on with the one that the call has asked for. */
  revive([topic, position, missed = 0]: unknown[], call: Call | undefined): Subscription | undefined {
    if (typeof topic !== 'string' || !isPosition(position) || typeof missed !== 'number') throw malformed('a topic');
    const known = call && this.#resuming.get(call.id);
    if (known !== undefined) {
      this.#resuming.delete(call!.id);
      known.begin(topic, position, missed);
      return undefined;
    }
    const inbox = new Inbox(this.peer, position, call?.frame?.operations(call.id));
    inbox.begin(topic, position, missed);
    this.inboxes.add(inbox);
    const subscription = new Subscription(inbox);
    this.#collected.register(subscription, inbox);
    return subscription;
  }

  receive({ topic, first, events, calls }: Record<string, unknown>, tail: Uint8Array | undefined): Ahead {
    if (!isPosition(first) || !Array.isArray(events)) throw malformed('events');
    const inboxes = [...this.inboxes].filter((inbox) => inbox.topic === topic);
    for (const inbox of inboxes) {
      if (inbox.state === 'over') {
        leave(inbox);
        this.inboxes.delete(inbox);
      }
      // Each subscription gets values of its own: reading changes what has arrived.
      inbox.receive(first, inboxes.length > 1 ? structuredClone(events) : events, tail, calls);
    }
    return () => (inboxes.every(({ isRead }) => isRead) ? undefined : untilRead(inboxes));
  }

  /** Ends the subscriptions to a topic, because the server says so. */
  close(topic: unknown): void {
    for (const inbox of this.inboxes) {
      if (inbox.topic === topic) inbox.end({ reason: new RpcError('DENIED', 'the server has ended the subscription') });
    }
  }

  /** Asks the server to go on with a subscription. */
  goOn(inbox: Inbox): void {
    inbox.state = 'asked'; // what arrives for others until there is an answer comes again
    const operations = `${json({ since: [inbox.epoch, inbox.received] })},${inbox.operations}`;
    const call = (this.peer as Client).callAhead(operations);
    this.#resuming.set(call.id, inbox);
    call.promise().then(
      () => {
        if (!this.#resuming.delete(call.id)) return;
        inbox.end({
          reason: new RpcError('REFERENCE_LOST', 'the subscription ended: its method returns none any more'),
        });
      },
      (error) => {
        // Over the next connection, another call does that.
        if (!this.#resuming.delete(call.id) || inbox.state === 'over') return;
        inbox.state = 'paused';
        if (!(error instanceof RpcError && (error.retryable || error.code === 'OUTCOME_UNKNOWN')))
          inbox.end({ reason: error });
        else
          setTimeout(
            () => inbox.state === 'paused' && this.peer.isReady && this.goOn(inbox),
            RETRY_MS * (1 + Math.random()),
          );
      },
    );
  }

  /** Goes on with all subscriptions over a new connection, before calls are made again. */
  opened(): void {
    for (const inbox of this.inboxes) if (inbox.state === 'paused') this.goOn(inbox);
  }

  /** Ends what cannot go on, because the connection has ended. */
  ended(goesOn: boolean): void {
    const { reason, isOver } = this.peer as Client;
    const message = `the subscription ended with its connection: ${reason?.message}`;
    this.#resuming.clear();
    for (const inbox of this.inboxes) {
      if (inbox.state === 'over') this.inboxes.delete(inbox);
      else if (goesOn && inbox.operations !== undefined) inbox.state = 'paused';
      // Who closes the connection does not read an error.
      else inbox.end(isOver ? undefined : { reason: new RpcError('REFERENCE_LOST', message) });
    }
  }
}

/**
 * Resolves when readers have read all that has arrived, or do not read: what comes behind events, such as the answer of
 * the call that has published them, comes behind them for the program, too.
 */
async function untilRead(inboxes: readonly Inbox[]): Promise<void> {
  for (let jobs = 0; jobs < MAX_JOBS && inboxes.some(({ unread }) => unread > 0); ) {
    const before = inboxes.reduce((sum, { unread }) => sum + unread, 0);
    for (let idle = 0; idle < IDLE_JOBS; idle++, jobs++) await undefined;
    if (inboxes.reduce((sum, { unread }) => sum + unread, 0) >= before) break;
  }
  for (let idle = 0; idle < IDLE_JOBS; idle++) await undefined;
}

const FEEDS = new WeakMap<Peer, Feeds>();

function feedsOf(peer: Peer): Feeds {
  const known = FEEDS.get(peer);
  if (known !== undefined) return known;
  const feeds = new Feeds(peer);
  FEEDS.set(peer, feeds);
  return feeds;
}

/** Subscriptions to topics of the server, which go on over the next connection. */
export const subscriptions: Feature = {
  revive: { topic: (peer, parts, call) => feedsOf(peer).revive(parts, call) },
  signals: {
    topic: (peer, signal, tail) => feedsOf(peer).receive(signal, tail),
    end: (peer, { end }) => feedsOf(peer).close(end),
  },
  opened: (peer) => FEEDS.get(peer)?.opened(),
  ended: (peer, goesOn) => FEEDS.get(peer)?.ended(goesOn),
};
