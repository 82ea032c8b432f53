import { SENDS_AT_ANY_TIME } from '#platform';
import { RpcError } from '../../errors/rpc-error.ts';
import type { FrameEntries } from '../../protocol/frame-reader.ts';
import type { Message } from '../../protocol/message.ts';
import { writeResent } from '../../protocol/resent.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { CONSUMED, UNSUBSCRIBE } from '../../protocol/signal.ts';
import { eventsCost, type Position, readEvents, readTopic, reparseEvents, TOPIC_WINDOW } from '../../protocol/topic.ts';
import type { ExtensionState } from '../../session/extension.ts';
import type { Call } from '../../session/outgoing/call.ts';
import type { Session } from '../../session/session.ts';
import { type Moment, since, Timer } from '../../session/timer.ts';
import { Inbox, RemoteSubscription } from './subscription.ts';

/** One topic over one connection, for all subscriptions to it. */
interface Feed {
  readonly inboxes: Set<Inbox>;
  /** Number of subscriptions that have arrived from the server. */
  count: number;
  /** Cost of the events that were read and not yet reported to the server. */
  unsaid: number;
}

/** The session that the subscriptions belong to, over all of its connections. */
export interface Subscriber extends Session {
  /** True if calls are sent at once. */
  readonly isReady: boolean;
}

/**
 * Shortest wait before a busy server is asked again to resume a subscription, in milliseconds. The longest wait is
 * twice as long.
 */
const RETRY_MS = 1000;

/** The subscriptions of a client, over all of its connections. */
export class Subscriptions implements ExtensionState {
  readonly #session: Subscriber;
  readonly #retry = new Timer();
  readonly #feeds = new Map<string, Feed>();
  /** Subscriptions that resume when there is a connection again. */
  readonly #paused = new Set<Inbox>();
  /** Subscriptions whose calls have been sent again, by the id of the call. */
  readonly #resuming = new Map<number, Inbox>();
  /** Subscriptions in the result being read. */
  #arrived: { inbox: Inbox; subscription: RemoteSubscription }[] = [];
  readonly #collected = new FinalizationRegistry<Inbox>((inbox) => {
    this.#forgotten.push(inbox);
    // A Worker may not send during garbage collection. There the subscriptions end with the next events.
    if (SENDS_AT_ANY_TIME) this.#endForgotten();
  });
  /** Subscriptions that were garbage collected, and that have not ended yet. */
  #forgotten: Inbox[] = [];

  constructor(session: Subscriber) {
    this.#session = session;
  }

  /**
   * Creates the subscription that a call has returned. If the call was sent again, resumes its earlier subscription and
   * returns undefined.
   */
  revive(parts: unknown[], callId: number | undefined): RemoteSubscription | undefined {
    const begun = readTopic(parts);
    const { topic } = begun;
    const feed = this.#feeds.get(topic) ?? { inboxes: new Set(), count: 0, unsaid: 0 };
    this.#feeds.set(topic, feed);
    feed.count++;
    const known = callId === undefined ? undefined : this.#resuming.get(callId);
    if (known?.topic === topic) {
      this.#resuming.delete(callId!);
      feed.inboxes.add(known);
      if (known.isOpen) known.resume(begun);
      else this.#left(known);
      return undefined;
    }
    const inbox = new Inbox(begun, (left) => this.#left(left));
    feed.inboxes.add(inbox);
    const subscription = new RemoteSubscription(inbox);
    this.#collected.register(subscription, inbox);
    if (callId !== undefined) this.#arrived.push({ inbox, subscription });
    return subscription;
  }

  resultRead(callId: number, outcome: Outcome, call: Call | undefined): void {
    const resuming = this.#resuming.get(callId);
    if (resuming !== undefined) {
      const message = 'its method returns no subscription to it any more';
      this.#refuse(callId, resuming, outcome.ok ? new RpcError('REFERENCE_LOST', message) : outcome.error);
    }
    if (this.#arrived.length === 0) return;
    const arrived = this.#arrived;
    this.#arrived = [];
    for (const { inbox, subscription } of arrived) {
      const { frame } = call ?? {};
      // The same call will return the subscription again, unless it depends on the lost connection. A subscription deep
      // inside of a result is not resumed, because it would have to be searched for.
      if (outcome.ok && outcome.value === subscription && frame?.message !== undefined && !call!.isBound) {
        const { firstId, message, sentAt } = frame;
        inbox.origin = { callId, firstId, message, sentAt: sentAt! };
      }
      if (call === undefined) inbox.end();
    }
  }

  callsRefused(firstId: number, error: RpcError): void {
    for (const [callId, inbox] of this.#resuming) {
      if (inbox.origin?.firstId === firstId) this.#refuse(callId, inbox, error);
    }
  }

  /** Handles a frame of events. */
  receive(entries: FrameEntries): void {
    if (this.#forgotten.length > 0) this.#endForgotten();
    const frame = readEvents(entries);
    const { topic, events } = frame;
    const feed = this.#feeds.get(topic);
    // The events were on their way when the last subscription ended.
    if (feed === undefined) return;
    const cost = eventsCost(events.length, frame.size);
    const consumed = () => this.#consumed(topic, feed, cost);
    // One for the frame itself, which is being handled.
    const delivery = { left: 1, share: cost / events.length, consumed };
    // Each subscription gets values of its own.
    let isFirst = true;
    for (const inbox of feed.inboxes) {
      inbox.receive(isFirst ? frame : { ...frame, events: reparseEvents(frame) }, delivery);
      isFirst = false;
    }
    if (--delivery.left === 0 && events.length > 0) consumed();
  }

  disconnected(cause: RpcError, isResumed: boolean): void {
    const code = cause.code === 'NOT_EXECUTED' ? 'REFERENCE_LOST' : cause.code;
    const error = new RpcError(code, `the subscription ended with its connection: ${cause.message}`, { cause });
    const all = this.#all();
    this.#retry.stop();
    this.#feeds.clear();
    this.#paused.clear();
    this.#resuming.clear();
    for (const inbox of all) {
      if (!inbox.isOpen) continue;
      if (isResumed && inbox.origin !== undefined) {
        // Each connection begins with a window of its own, so the server sends the events beyond it again.
        inbox.truncate(TOPIC_WINDOW);
        this.#paused.add(inbox);
      } else inbox.fail(error);
    }
  }

  closed(): void {
    for (const inbox of this.#all()) inbox.end();
  }

  /** Resumes subscriptions over a new connection. */
  opened(): void {
    if (!this.#session.isReady) return;
    const frames = new Map<Message, { sentAt: Moment; subscriptions: [place: number, last: Position][] }>();
    for (const inbox of this.#paused) {
      const { callId, firstId, message, sentAt } = inbox.origin!;
      const frame = frames.get(message) ?? { sentAt, subscriptions: [] };
      frames.set(message, frame);
      frame.subscriptions.push([callId - firstId, inbox.received]);
      this.#resuming.set(callId, inbox);
    }
    this.#paused.clear();
    for (const [message, { sentAt, subscriptions }] of frames) {
      const places = subscriptions.map(([place]) => place);
      this.#session.send(writeResent(since(sentAt), places, message, subscriptions));
    }
  }

  #refuse(callId: number, inbox: Inbox, error: unknown): void {
    this.#resuming.delete(callId);
    if (!inbox.isOpen) return;
    if (!(error instanceof RpcError && (error.retryable || error.code === 'EXPIRED'))) return inbox.fail(error);
    // The refusal is not final: the subscription resumes after a while, or over another connection with another token.
    this.#paused.add(inbox);
    if (!this.#retry.isSet) this.#retry.set(RETRY_MS * (1 + Math.random()), () => this.opened());
  }

  #all(): Inbox[] {
    const arriving = [...this.#feeds.values()].flatMap(({ inboxes }) => [...inboxes]);
    return [...arriving, ...this.#paused, ...this.#resuming.values()];
  }

  #endForgotten(): void {
    for (const inbox of this.#forgotten.splice(0)) inbox.end();
  }

  #consumed(topic: string, feed: Feed, cost: number): void {
    // The server need not be told about a connection that is gone.
    if (this.#feeds.get(topic) !== feed) return;
    feed.unsaid += cost;
    if (feed.unsaid * 2 < TOPIC_WINDOW) return;
    this.#session.outgoing.signal([CONSUMED, topic, feed.unsaid]);
    feed.unsaid = 0;
  }

  #left(inbox: Inbox): void {
    inbox.origin = undefined;
    this.#paused.delete(inbox);
    const feed = this.#feeds.get(inbox.topic);
    if (feed === undefined || !feed.inboxes.delete(inbox) || feed.inboxes.size > 0) return;
    this.#feeds.delete(inbox.topic);
    this.#session.outgoing.signal([UNSUBSCRIBE, inbox.topic, feed.count]);
  }
}
