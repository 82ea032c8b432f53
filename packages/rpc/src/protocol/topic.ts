import { checkUsed, fromMessage, type Reading, Reviver, toMessage } from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { FrameEntries } from './frame-reader.ts';
import type { Message } from './message.ts';
import type { Signal } from './signal.ts';
import { EVENTS } from './tags.ts';

declare const EVENT: unique symbol;

/** Item of a subscription: an event and its number, or a gap of events that can no longer be had. */
export type TopicItem<Event> =
  | {
      /** The event's number: one more than that of the event before. */
      readonly sequence: number;
      readonly event: Event;
      readonly missed?: undefined;
    }
  | {
      /** The number of the last event that was missed. */
      readonly sequence: number;
      /** Number of missed events; `Infinity` if that cannot be known. */
      readonly missed: number;
      readonly event?: undefined;
    };

/** Options that say where a subscription begins. */
export interface SubscribeOptions {
  /** The number of the last event that is known already: those after it are sent first, as far as they are retained. 0: all of them. @default what is published from now on */
  readonly since?: number | undefined;
}

/**
 * The events of a topic, as a method returns them to its caller, who goes through them. Leaving the loop, `return()` and
 * disposing it unsubscribe. It goes on when the connection was lost and is open again.
 */
export interface Subscription<Event> extends AsyncIterableIterator<TopicItem<Event>, undefined>, Disposable {
  /** The number of the last event that was gone through, for `since` of a later subscription. */
  readonly sequence: number;
  /** For types only, and not there at run time. */
  readonly [EVENT]: Event;
}

/**
 * Credit of a subscriber for events that it has not gone through, by the cost of frames: an event each, or 4 KiB; so 1
 * MiB at most.
 */
export const TOPIC_WINDOW = 256;
const COST_SIZE = 4096;
/** Entries of a frame before its events. */
const FIRST_EVENT = 3;

/** Returns the credit that a frame of events takes, the same on both sides. */
export function eventsCost(count: number, size: number): number {
  return Math.max(count, Math.ceil(size / COST_SIZE));
}

/** A frame of events. */
export interface EventsFrame extends FrameEntries {
  readonly topic: string;
  /** The number of the first event; without events, of the next one that there will be. */
  readonly first: number;
  /** As JSON gave them, and numbered anew in each: `readEvent` makes their values. */
  readonly events: readonly unknown[];
}

/** Writes a frame of events, each a message of its own. One that holds bytes goes alone: so it is known whose the bytes are. */
export function writeEvents(topic: string, first: number, events: readonly Message[]): Message {
  const parts = events.map(fromMessage);
  const text = JSON.stringify([EVENTS, topic, first]).slice(0, -1);
  return toMessage(
    `${[text, ...parts.map((part) => part.text)].join()}]`,
    parts.flatMap(({ tail = [] }) => tail),
  );
}

/** Returns how many of the first events go in one frame. */
export function countTogether(events: readonly Message[]): number {
  const place = events.findIndex((event) => typeof event !== 'string');
  return place < 0 ? events.length : Math.max(place, 1);
}

/** Checks a frame of events. */
export function readEvents(frame: FrameEntries): EventsFrame {
  const [, topic, first, ...events] = frame.entries;
  if (typeof topic !== 'string' || !isSequence(first) || (frame.tail && events.length !== 1)) {
    throw malformedFrame('events without their topic and number');
  }
  return { ...frame, topic, first, events };
}

/** Reads a frame of events once more: its events become values in place. */
export function readAgain({ text }: EventsFrame): readonly unknown[] {
  return (JSON.parse(text) as unknown[]).slice(FIRST_EVENT);
}

/** Makes the value of an event. @throws {CloneError} where it is of a class that is not registered here, or the like */
export function readEvent(event: unknown, reading: Reading): unknown {
  const reviver = new Reviver(reading);
  const value = reviver.value(event);
  checkUsed(reviver);
  return value;
}

/** Form of a subscription in a result. */
export interface TopicParts {
  readonly topic: string;
  /** The number after which events follow. */
  readonly last: number;
  /** Number of earlier events that the subscriber wanted and cannot have. */
  readonly missed: number;
}

/** Makes the parts of a `TOPIC`. */
export function topicParts({ topic, last, missed }: TopicParts): unknown[] {
  return missed === 0 ? [topic, last] : [topic, last, missed];
}

/** Checks the parts of a `TOPIC`. */
export function readTopic([topic, last, missed = 0]: unknown[]): TopicParts {
  if (typeof topic !== 'string' || !isSequence(last) || typeof missed !== 'number') {
    throw malformedFrame('a subscription without its topic and number');
  }
  return { topic, last, missed };
}

/** Checks a signal that is about a topic: its name, and a number. */
export function readTopicSignal([, topic, number]: Signal): { topic: string; number: number } {
  if (typeof topic !== 'string' || !isSequence(number)) throw malformedFrame('a signal without its topic');
  return { topic, number };
}

/** Returns true if a value can be the number of an event, or 0, which is before the first. */
export function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
