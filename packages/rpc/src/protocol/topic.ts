import {
  checkUsed,
  fromMessage,
  isMarked,
  type Reading,
  Reviver,
  toJson,
  toMessage,
} from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { FrameEntries } from './frame-reader.ts';
import type { Message } from './message.ts';
import type { Signal } from './signal.ts';
import { EVENTS, isId } from './tags.ts';

declare const EVENT: unique symbol;

/** An item of a subscription: an event and its number, or a gap of events that are no longer available. */
export type TopicItem<Event> =
  | {
      /** The number of the event: one more than that of the previous event. */
      readonly sequence: number;
      readonly event: Event;
      readonly missed?: undefined;
    }
  | {
      /** The number of the last event that was missed. */
      readonly sequence: number;
      /** Number of missed events, or `Infinity` if it cannot be known. */
      readonly missed: number;
      readonly event?: undefined;
    };

/** Options that say where a subscription begins. */
export interface SubscribeOptions {
  /**
   * The number of the last event that is already known. The events after it are sent first, as far as they are
   * retained. With 0, all retained events are sent.
   * @default only events published from now on
   */
  readonly since?: number | undefined;
}

/**
 * The events of a topic, as a method returns them to its caller, who iterates over them. Leaving the loop, `return()`
 * and disposing the subscription unsubscribe. The subscription goes on when a lost connection is open again.
 */
export interface Subscription<Event> extends AsyncIterableIterator<TopicItem<Event>, undefined>, Disposable {
  /** The number of the last event that was consumed, for `since` of a later subscription. */
  readonly sequence: number;
  /** Exists only in the types, not at run time. */
  readonly [EVENT]: Event;
}

/**
 * Credit of a subscriber for events that it has not consumed. A frame costs 1 for each event or for each 4 KiB,
 * whichever is more, so the credit is at most 1 MiB.
 */
export const TOPIC_WINDOW = 256;
const COST_SIZE = 4096;
/** Number of entries in a frame before its events. */
const FIRST_EVENT = 3;

/** Returns the credit that a frame of events takes. Both sides compute the same number. */
export function eventsCost(count: number, size: number): number {
  return Math.max(count, Math.ceil(size / COST_SIZE));
}

/** A frame of events. */
export interface EventsFrame extends FrameEntries {
  readonly topic: string;
  /** The number of the first event. If the frame has no events, the number of the next event to come. */
  readonly first: number;
  /** The parsed JSON of the events. Each event numbers its own objects, and `readEvent` makes its value. */
  readonly events: readonly unknown[];
}

/**
 * Writes a frame of events. Each event is a message of its own. An event that holds bytes gets its own frame, so that
 * it is clear which event the bytes belong to.
 */
export function writeEvents(topic: string, first: number, events: readonly Message[]): Message {
  const start = toJson([EVENTS, topic, first]).slice(0, -1);
  const [alone] = events;
  if (!(alone instanceof Uint8Array)) return `${[start, ...events].join()}]`;
  const { text, tail } = fromMessage(alone);
  return toMessage(`${start},${text}]`, tail ? [tail] : []);
}

/** Returns how many of the first events go into one frame. */
export function countTogether(events: readonly Message[]): number {
  const place = events.findIndex((event) => typeof event !== 'string');
  return place < 0 ? events.length : Math.max(place, 1);
}

/** Checks a frame of events, and returns its parts. */
export function readEvents(frame: FrameEntries): EventsFrame {
  const [, topic, first] = frame.entries;
  const events = frame.entries.slice(FIRST_EVENT);
  if (typeof topic !== 'string' || !isId(first) || (frame.tail && events.length !== 1)) {
    throw malformedFrame('no topic or number');
  }
  return { ...frame, topic, first, events };
}

/** Parses the events of a frame once more, because decoding replaces them by their values in place. */
export function reparseEvents({ text }: EventsFrame): readonly unknown[] {
  return (JSON.parse(text) as unknown[]).slice(FIRST_EVENT);
}

/**
 * Decodes an event.
 * @throws {CloneError} if the event cannot be decoded, for example because its class is not registered here
 */
export function readEvent(event: unknown, reading: Reading): unknown {
  if (reading.tail === undefined && !isMarked(event)) return event;
  const reviver = new Reviver(reading);
  const value = reviver.value(event);
  checkUsed(reviver);
  return value;
}

/** The form of a subscription in a result. */
export interface TopicParts {
  readonly topic: string;
  /** The number of the event after which the subscription's events follow. */
  readonly last: number;
  /** Number of earlier events that the subscriber wanted and cannot have. */
  readonly missed: number;
}

/** Returns the parts of a `TOPIC`. */
export function topicParts({ topic, last, missed }: TopicParts): unknown[] {
  return missed === 0 ? [topic, last] : [topic, last, missed];
}

/** Checks the parts of a `TOPIC`, and returns them. */
export function readTopic([topic, last, missed = 0]: unknown[]): TopicParts {
  if (typeof topic !== 'string' || !isId(last) || typeof missed !== 'number') {
    throw malformedFrame('no topic or number');
  }
  return { topic, last, missed };
}

/** Checks a signal about a topic, and returns its topic and its number. */
export function readTopicSignal([, topic, number]: Signal): { topic: string; number: number } {
  if (typeof topic !== 'string' || !isId(number)) throw malformedFrame('no topic or number');
  return { topic, number };
}
