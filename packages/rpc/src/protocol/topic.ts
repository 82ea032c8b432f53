/// <reference lib="esnext.disposable" preserve="true" />
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

/**
 * A position in a topic, as `position` of a subscription or a topic says it, for `since` of a later subscription: the
 * number of an event, and the epoch of the topic, which tells this event from others with the same number.
 */
export type Position = readonly [epoch: string, sequence: number];

/** Options that say where a subscription begins. */
export interface SubscribeOptions {
  /**
   * The position behind the last event that is already known. The events after it are sent first, as far as they are
   * retained. With 0, all retained events are sent.
   * @default only events published from now on
   */
  readonly since?: Position | 0 | undefined;
}

/**
 * The events of a topic, as a method returns them to its caller, who iterates over them. Leaving the loop, `return()`
 * and disposing the subscription unsubscribe. The subscription goes on when a lost connection is open again.
 */
export interface Subscription<Event> extends AsyncIterableIterator<TopicItem<Event>, undefined>, Disposable {
  /** The number of the last event that was consumed. */
  readonly sequence: number;
  /** The position behind the last event that was consumed, for `since` of a later subscription. */
  readonly position: Position;
  /** Exists only in the types, not at run time. */
  readonly [EVENT]: Event;
}

/**
 * Credit of a subscriber for events that it has not consumed. A frame costs 1 for each event or for each 4 KiB,
 * whichever is more, so the credit is at most 1 MiB.
 */
export const TOPIC_WINDOW = 256;
const COST_SIZE = 4096;
/** Most characters of an epoch. */
const MAX_EPOCH = 64;

/** Returns true if a value is a position. */
export function isPosition(value: unknown): value is Position {
  return Array.isArray(value) && typeof value[0] === 'string' && value[0].length <= MAX_EPOCH && isId(value[1]);
}

/** Checks a position in a frame, and whatever else has to hold of what is about it. */
export function checkPosition(position: unknown, holds: boolean): asserts position is Position {
  if (!holds || !isPosition(position)) throw malformedFrame('no topic or position');
}

/** Returns the life of a topic that an epoch `life.run` belongs to. Numbers begin anew with each life. */
export function lifeOf(epoch: string): string {
  return epoch.split('.')[0];
}

/** Number of entries in a frame before its events. */
const FIRST_EVENT = 3;

/** Returns the credit that a frame of events takes. Both sides compute the same number. */
export function eventsCost(count: number, size: number): number {
  return Math.max(count, Math.ceil(size / COST_SIZE));
}

/** A frame of events. */
export interface EventsFrame extends FrameEntries {
  readonly topic: string;
  /**
   * The position of the first event. If the frame has no events, that of the next event to come. All events of the frame
   * are known in its epoch.
   */
  readonly first: Position;
  /** The parsed JSON of the events. Each event numbers its own objects, and `readEvent` makes its value. */
  readonly events: readonly unknown[];
}

/**
 * Writes a frame of events. Each event is a message of its own. An event that holds bytes gets its own frame, so that
 * it is clear which event the bytes belong to.
 */
export function writeEvents(topic: string, first: Position, events: readonly Message[]): Message {
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
  checkPosition(first, typeof topic === 'string' && (!frame.tail || events.length === 1));
  return { ...frame, topic: topic as string, first, events };
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
  /** The position behind which the subscription's events follow. */
  readonly last: Position;
  /** Number of earlier events that the subscriber wanted and cannot have. */
  readonly missed: number;
}

/** Returns the parts of a `TOPIC`. */
export function topicParts({ topic, last, missed }: TopicParts): unknown[] {
  return missed === 0 ? [topic, last] : [topic, last, missed];
}

/** Checks the parts of a `TOPIC`, and returns them. */
export function readTopic([topic, last, missed = 0]: unknown[]): TopicParts {
  checkPosition(last, typeof topic === 'string' && typeof missed === 'number');
  return { topic, last, missed } as TopicParts;
}

/** Checks a signal about a topic, and returns its topic and its number. */
export function readTopicSignal([, topic, number]: Signal): { topic: string; number: number } {
  if (typeof topic !== 'string' || !isId(number)) throw malformedFrame('no topic or number');
  return { topic, number };
}
