import { CloneError, encode } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableReason } from '../../protocol/errors.ts';
import { countedBytes, type Message } from '../../protocol/message.ts';
import type { SubscribeOptions, Subscription } from '../../protocol/topic.ts';
import type { Batches } from './batching-journal.ts';

/** Options that say how a topic keeps its events. */
export interface TopicOptions {
  /**
   * Number of the newest events kept for subscribers that were away. @default 100; 0: none, only their number is kept
   */
  readonly retain?: number;
  /**
   * Store events together, after they were sent: a row for so many events, or for what came in so many milliseconds. What
   * was not stored at a crash is a gap for who was away; with a `retain` of 0 no event is stored at all. @default each event is
   * stored when it is published
   */
  readonly persist?: Partial<Batches>;
}

/** Events of an object, in order, for all who subscribe to them. */
export interface Topic<Event> {
  /** The name by which the object asks for it. */
  readonly name: string;
  /** The number of the last event that was published: the first has 1. */
  readonly sequence: number;
  /** Number of subscribed connections. */
  readonly subscribers: number;
  /**
   * Sends an event to all subscribers when the turn has ended, and returns its number. It is stored by then, and part of
   * the transaction that it is published in, unless the topic has `persist`: rolled back with it, it is not sent.
   * @throws {RpcError} `NOT_CLONEABLE` where it holds what is no value, `TOO_LARGE` above 1900000 bytes
   */
  publish(event: Event): number;
  /**
   * Returns what a method returns to subscribe its caller. Who may subscribe is for the method to decide.
   * @throws {RpcError} `INVALID_ARGUMENTS` where the options, which mostly come from the caller, are not what they have to be
   */
  subscribe(options?: SubscribeOptions | undefined): Subscription<Event>;
}

/** A row may have 2 MB, with all that is in it. */
const MAX_EVENT_BYTES = 1_900_000;

/**
 * Encodes an event, whatever it is.
 * @throws {RpcError} `NOT_CLONEABLE` where it holds what is no value, `TOO_LARGE` above 1900000 bytes
 */
export function encodeEvent(value: unknown, topic: string, errorStacks: boolean): Message {
  let event: Message;
  try {
    event = encode(value, { errorStacks });
  } catch (error) {
    if (!(error instanceof CloneError)) throw error;
    throw new RpcError('NOT_CLONEABLE', `an event of ${topic}: ${unsendableReason(error)}`, { cause: error });
  }
  const bytes = countedBytes(event, MAX_EVENT_BYTES);
  if (bytes <= MAX_EVENT_BYTES) return event;
  const message = `an event of ${topic} has ${bytes} bytes, more than ${MAX_EVENT_BYTES}: publish where it can be had`;
  throw new RpcError('TOO_LARGE', message);
}
