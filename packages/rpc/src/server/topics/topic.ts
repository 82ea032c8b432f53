import { all, CloneError, resolveLimits, toMessage, write } from '@lumenize/structured-clone/messages';
import { RpcError, unsendable } from '../../errors.ts';
import type { Message } from '../../types/message.ts';
import type { Position, SubscribeOptions, Subscription } from '../../types/topic.ts';
import type { Batches } from './batching-journal.ts';
import type { TopicJournal } from './topic-journal.ts';

/** Options for keeping the events of a topic. */
export interface TopicOptions {
  /**
   * Number of the newest events that are kept for subscribers that were away. With 0, only the number of the last event
   * is kept.
   * @default 100
   */
  readonly retain?: number;
  /**
   * Stores events in batches after they were sent: a row for `everyEvents` events, 100 by default, or for the events of
   * `everyMs` milliseconds, 1000 by default. After a crash, events that were not stored are a gap for subscribers that
   * were away. Events that cannot be stored are dropped, and `onError` gets the error. With a `retain` of 0, no events
   * are stored at all.
   * @default each event is stored when it is published
   */
  readonly persist?: Partial<Batches>;
  /**
   * Numbers and keeps the events in place of the topic, for libraries whose events follow from what they store anyway.
   * The other options do not apply then.
   */
  readonly journal?: TopicJournal | undefined;
}

/** Ordered events of an object, for all of their subscribers. */
export interface Topic<Event> {
  /** The name by which the object asks for the topic. */
  readonly name: string;
  /** The number of the last published event. The first event has number 1. */
  readonly sequence: number;
  /** The position behind the last published event, for `since` of a subscription. */
  readonly position: Position;
  /** Number of subscribed connections. */
  readonly subscribers: number;
  /**
   * Sends an event to all subscribers at the end of the turn, and returns its number. The event is stored by then, as
   * part of the transaction in which it was published; if that is rolled back, the event is not sent. With `persist` it
   * is stored later, outside of any transaction.
   * @throws {RpcError} `NOT_CLONEABLE` if the event cannot be encoded, `TOO_LARGE` above 1900000 bytes
   */
  publish(event: Event): number;
  /**
   * Returns the value that a method returns to subscribe its caller. The method decides who may subscribe.
   * @throws {RpcError} `INVALID_ARGUMENTS` if the options, which mostly come from the caller, are not valid
   */
  subscribe(options?: SubscribeOptions | undefined): Subscription<Event>;
  /**
   * Deletes the events and everything else that is stored of the topic. Subscribers are told of a gap with the next
   * event. The topic can be used again.
   */
  delete(): void;
}

/** Largest encoded event, in bytes. A row can hold 2 MB with everything in it. */
const MAX_EVENT_BYTES = 1_900_000;

/**
 * Encodes an event.
 * @throws {RpcError} `NOT_CLONEABLE` if the event cannot be encoded, `TOO_LARGE` above 1900000 bytes
 */
export function encodeEvent(value: unknown, topic: string, errorStacks: boolean): Message {
  try {
    const tail: Uint8Array[] = [];
    const limits = resolveLimits({ maxBytes: MAX_EVENT_BYTES });
    // Its text becomes part of frames, so it has to be JSON.
    return toMessage(write(value, { types: all, limits, tail, stacks: errorStacks }), tail) as Message;
  } catch (error) {
    if (!(error instanceof CloneError)) throw error;
    if (error.message.includes('maxBytes')) {
      const message = `an event of ${topic} has more than ${MAX_EVENT_BYTES} bytes: publish where it can be had`;
      throw new RpcError('TOO_LARGE', message);
    }
    throw unsendable(error, `an event of ${topic}: `);
  }
}
