import { SENDS_AT_ANY_TIME } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';
import type { Message } from '../protocol/message.ts';
import { writeResent } from '../protocol/resent.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { CONSUMED, type Signal, UNSUBSCRIBE } from '../protocol/signal.ts';
import { eventsCost, readEvents, readTopic, TOPIC_WINDOW } from '../protocol/topic.ts';
import type { Call } from '../session/outgoing/call.ts';
import { Timer } from '../session/timer.ts';
import type { Clock } from './clock.ts';
import { type Delivery, Inbox, RemoteSubscription } from './subscription.ts';

/** What arrives of one topic over one connection, for all who are subscribed to it there. */
interface Feed {
  readonly inboxes: Set<Inbox>;
  /** Subscriptions that have arrived. */
  count: number;
  /** The cost of what was gone through since the server was told. */
  unsaid: number;
  /** Notes that a frame of that cost was gone through. */
  consumed(cost: number): void;
}

/** The call that returned a subscription: it is made again over the next connection. */
interface Origin {
  readonly callId: number;
  /** The frame that it was in, and the id of the first call there. */
  readonly firstId: number;
  readonly message: Message;
  /** When it was sent, by the client's clock. */
  readonly sentAt: number;
}

/** What subscriptions need of their session. */
interface SubscriptionsHost {
  readonly clock: Clock;
  /** Tells the server of the connection that there is now. */
  signal(signal: Signal): void;
  /** Sends what `resume` returns, if there is a connection. */
  resume(): void;
}

/** How long to wait where the server has too much to do to go on with a subscription, in milliseconds; up to twice as long. */
const RETRY_MS = 1000;

/** The subscriptions of a client, over all of its connections. */
export class Subscriptions {
  readonly #host: SubscriptionsHost;
  readonly #retry = new Timer();
  readonly #feeds = new Map<string, Feed>();
  /** Calls that can be made again, by what they returned. */
  readonly #origins = new Map<Inbox, Origin>();
  /** Those that go on when there is a connection again. */
  readonly #paused = new Set<Inbox>();
  /** Those whose calls have been made again, by the ids. */
  readonly #resuming = new Map<number, Inbox>();
  /** What was in the result being read. */
  #arrived: { inbox: Inbox; subscription: RemoteSubscription }[] = [];
  readonly #collected = new FinalizationRegistry<Inbox>((inbox) => {
    this.#forgotten.push(inbox);
    // A Worker may not send when garbage collection calls: there it is done with the next events.
    if (SENDS_AT_ANY_TIME) this.#endForgotten();
  });
  /** Those that nobody goes through any more. */
  #forgotten: Inbox[] = [];

  constructor(host: SubscriptionsHost) {
    this.#host = host;
  }

  /** Makes what stands for a subscription that a call has returned, or goes on with the one that it has returned before. */
  revive(payload: unknown, callId: number | undefined): RemoteSubscription | undefined {
    const { topic, last, missed } = readTopic(payload);
    const feed = this.#feeds.get(topic) ?? this.#createFeed(topic);
    feed.count++;
    const known = callId === undefined ? undefined : this.#resuming.get(callId);
    if (known?.topic === topic) {
      this.#resuming.delete(callId!);
      feed.inboxes.add(known);
      if (known.isOpen) known.resumed(last, missed);
      else this.#left(known);
      return undefined;
    }
    const inbox: Inbox = new Inbox(topic, last, missed, () => this.#left(inbox));
    feed.inboxes.add(inbox);
    const subscription = new RemoteSubscription(inbox);
    this.#collected.register(subscription, inbox);
    if (callId !== undefined) this.#arrived.push({ inbox, subscription });
    return subscription;
  }

  /** Told of a result that was read, and of the call, where someone waits for it. */
  settle(callId: number, outcome: Outcome, call: Call | undefined): void {
    const refused = this.#resuming.get(callId);
    if (refused !== undefined) this.#refuse(callId, refused, refusalOf(outcome));
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const { inbox, subscription } of arrived) {
      // The same call will return one; what is deep inside of a result would have to be looked for.
      const origin = outcome.ok && outcome.value === subscription ? originOf(call) : undefined;
      if (origin !== undefined) this.#origins.set(inbox, origin);
      if (call === undefined) inbox.end();
    }
  }

  /** Told of a frame that was refused as a whole. */
  refused(firstId: number, error: RpcError): void {
    for (const [callId, inbox] of this.#resuming) {
      if (this.#origins.get(inbox)?.firstId === firstId) this.#refuse(callId, inbox, error);
    }
  }

  /** Handles what comes behind the kind of a frame of events. */
  receive(parts: unknown[], bytes: number): void {
    this.#endForgotten();
    const frame = readEvents(parts);
    const feed = this.#feeds.get(frame.topic);
    // It was on its way when the last one ended.
    if (feed === undefined) return;
    // One for the frame itself, which is being handled.
    const delivery: Delivery = { left: 1, cost: eventsCost(frame.events.length, bytes), feed };
    for (const inbox of feed.inboxes) inbox.receive(frame, delivery);
    if (--delivery.left === 0 && frame.events.length > 0) feed.consumed(delivery.cost);
  }

  /** The connection is gone: what can go on over another one waits for that, all else ends. */
  pause(reason: RpcError): void {
    this.#end(reason, (inbox) => this.#origins.has(inbox));
  }

  /** Ends all: there will be no other connection. */
  lost(reason: RpcError): void {
    this.#end(reason, () => false);
  }

  /** Ends all: this side wants no more. */
  end(): void {
    for (const inbox of this.#all()) inbox.end();
    this.lost(new RpcError('NOT_EXECUTED', 'it has ended'));
  }

  /** There is a connection again: returns the frames to send over it. */
  resume(): Message[] {
    const frames = new Map<Message, { sentAt: number; subscriptions: [place: number, last: number][] }>();
    for (const inbox of this.#paused) {
      const { callId, firstId, message, sentAt } = this.#origins.get(inbox)!;
      const frame = frames.get(message) ?? { sentAt, subscriptions: [] };
      frames.set(message, frame);
      frame.subscriptions.push([callId - firstId, inbox.received]);
      this.#resuming.set(callId, inbox);
    }
    this.#paused.clear();
    return [...frames].map(([message, { sentAt, subscriptions }]) => {
      const places = subscriptions.map(([place]) => place);
      return writeResent(this.#host.clock.since(sentAt), places, message, subscriptions);
    });
  }

  #refuse(callId: number, inbox: Inbox, error: unknown): void {
    this.#resuming.delete(callId);
    if (!inbox.isOpen) return;
    if (!(error instanceof RpcError && error.retryable)) return inbox.fail(error);
    // Not for good: by and by it goes on, or with another token over another connection.
    this.#paused.add(inbox);
    if (!this.#retry.isSet) this.#retry.set(RETRY_MS * (1 + Math.random()), () => this.#host.resume());
  }

  #end(cause: RpcError, goesOn: (inbox: Inbox) => boolean): void {
    const code = cause.code === 'NOT_EXECUTED' ? 'REFERENCE_LOST' : cause.code;
    const error = new RpcError(code, `the subscription ended with its connection: ${cause.message}`, { cause });
    const all = this.#all();
    this.#retry.stop();
    this.#feeds.clear();
    this.#paused.clear();
    this.#resuming.clear();
    for (const inbox of all) {
      if (!inbox.isOpen) continue;
      if (goesOn(inbox)) {
        // Each connection begins with a window of its own.
        inbox.keep(TOPIC_WINDOW);
        this.#paused.add(inbox);
      } else inbox.fail(error);
    }
  }

  #all(): Inbox[] {
    const arriving = [...this.#feeds.values()].flatMap(({ inboxes }) => [...inboxes]);
    return [...arriving, ...this.#paused, ...this.#resuming.values()];
  }

  #endForgotten(): void {
    const forgotten = this.#forgotten;
    this.#forgotten = [];
    for (const inbox of forgotten) inbox.end();
  }

  #createFeed(topic: string): Feed {
    const feed: Feed = {
      inboxes: new Set(),
      count: 0,
      unsaid: 0,
      consumed: (cost) => {
        // Of a connection that is gone nobody has to be told.
        if (this.#feeds.get(topic) !== feed) return;
        feed.unsaid += cost;
        if (feed.unsaid * 2 < TOPIC_WINDOW) return;
        this.#host.signal([CONSUMED, topic, feed.unsaid]);
        feed.unsaid = 0;
      },
    };
    this.#feeds.set(topic, feed);
    return feed;
  }

  #left(inbox: Inbox): void {
    this.#origins.delete(inbox);
    this.#paused.delete(inbox);
    const feed = this.#feeds.get(inbox.topic);
    if (feed === undefined || !feed.inboxes.delete(inbox) || feed.inboxes.size > 0) return;
    this.#feeds.delete(inbox.topic);
    this.#host.signal([UNSUBSCRIBE, inbox.topic, feed.count]);
  }
}

/** What to make a call of again; undefined where it is about what was lost with its connection. */
function originOf(call: Call | undefined): Origin | undefined {
  if (call?.frame?.message === undefined || call.isBound) return undefined;
  const { firstId, message, sentAt } = call.frame;
  return { callId: call.id, firstId, message, sentAt };
}

/** Why a call that was made again to go on with a subscription has returned none. */
function refusalOf(outcome: Outcome): unknown {
  return outcome.ok
    ? new RpcError('REFERENCE_LOST', 'its method returns no subscription to it any more')
    : outcome.error;
}
