import type { RpcError } from '../errors/rpc-error.ts';
import { CONSUMED, type Signal, UNSUBSCRIBE } from '../protocol/signal.ts';
import { type EventsFrame, eventsCost, readTopic, TOPIC_WINDOW } from '../protocol/topic.ts';
import { type Delivery, Inbox, RemoteSubscription } from './subscription.ts';

/** What arrives of one topic over one connection, for all who are subscribed to it there. */
interface Feed {
  readonly inboxes: Set<Inbox>;
  /** Subscriptions that have arrived. */
  count: number;
  /** The cost of what was gone through since the server was told. */
  consumed: number;
}

/** The subscriptions of a client. */
export class Subscriptions {
  readonly #signal: (signal: Signal) => void;
  readonly #feeds = new Map<string, Feed>();
  /** Subscriptions among the results being read. */
  #arrived: Inbox[] = [];
  readonly #collected = new FinalizationRegistry<Inbox>((inbox) => inbox.end());

  /** `signal` tells the server of the connection that there is now. */
  constructor(signal: (signal: Signal) => void) {
    this.#signal = signal;
  }

  /** Makes what stands for a subscription that a call has returned. */
  revive(payload: unknown): RemoteSubscription {
    const { topic, last, missed } = readTopic(payload);
    const feed = this.#feeds.get(topic) ?? { inboxes: new Set(), count: 0, consumed: 0 };
    this.#feeds.set(topic, feed);
    feed.count++;
    const inbox: Inbox = new Inbox(topic, last, missed, () => this.#left(inbox));
    feed.inboxes.add(inbox);
    this.#arrived.push(inbox);
    const subscription = new RemoteSubscription(inbox);
    this.#collected.register(subscription, inbox);
    return subscription;
  }

  /** Told whether someone waits for the result that was read. */
  settle(isWanted: boolean): void {
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    if (!isWanted) for (const inbox of arrived) inbox.end();
  }

  receive(frame: EventsFrame, bytes: number): void {
    const feed = this.#feeds.get(frame.topic);
    // It was on its way when the last one ended.
    if (feed === undefined) return;
    const cost = eventsCost(frame.events.length, bytes);
    const delivery: Delivery = {
      // One for the frame itself, which is being handled.
      left: 1,
      done: () => this.#consumed(frame.topic, feed, cost),
    };
    for (const inbox of feed.inboxes) inbox.receive(frame, delivery);
    if (--delivery.left === 0 && frame.events.length > 0) delivery.done();
  }

  /** Ends all: the connection is gone. */
  lost(reason: RpcError): void {
    const feeds = [...this.#feeds.values()];
    this.#feeds.clear();
    for (const { inboxes } of feeds) for (const inbox of inboxes) inbox.fail(reason);
  }

  #consumed(topic: string, feed: Feed, cost: number): void {
    if (this.#feeds.get(topic) !== feed) return;
    feed.consumed += cost;
    if (feed.consumed * 2 < TOPIC_WINDOW) return;
    this.#signal([CONSUMED, topic, feed.consumed]);
    feed.consumed = 0;
  }

  #left(inbox: Inbox): void {
    const feed = this.#feeds.get(inbox.topic);
    if (feed === undefined || !feed.inboxes.delete(inbox) || feed.inboxes.size > 0) return;
    this.#feeds.delete(inbox.topic);
    this.#signal([UNSUBSCRIBE, inbox.topic, feed.count]);
  }
}
