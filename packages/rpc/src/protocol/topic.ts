import { createEncoder, type Encoder } from '@lumenize/structured-clone';
import { EVENTS } from './frame-kind.ts';
import { malformedFrame } from './malformed.ts';
import type { Signal } from './signal.ts';

/** What a subscriber may be sent and not have gone through, by the cost of frames: an event each, or 4 KiB; so 1 MiB at most. */
export const TOPIC_WINDOW = 256;
const COST_BYTES = 4096;

/** What a frame of events takes from the window; both sides say the same. */
export function eventsCost(count: number, bytes: number): number {
  return Math.max(count, Math.ceil(bytes / COST_BYTES));
}

/** The content of a frame of events. */
export interface EventsFrame {
  readonly topic: string;
  /** The number of the first event; without events, of the next one that there will be. */
  readonly first: number;
  /** Each encoded by itself. */
  readonly events: readonly Uint8Array[];
}

/** Made when first needed, and kept: making one costs more than a frame does. */
let kept: Encoder | undefined;

/** Writes a frame of events. */
export function writeEvents({ topic, first, events }: EventsFrame): Uint8Array<ArrayBuffer> {
  const encoder = kept ?? createEncoder();
  // One that has thrown holds half a frame.
  kept = undefined;
  encoder.write(EVENTS);
  encoder.write(topic);
  encoder.write(first);
  for (const event of events) encoder.write(event);
  kept = encoder;
  return encoder.finish();
}

/** Checks what comes behind the kind of a frame of events. */
export function readEvents([topic, first, ...events]: unknown[]): EventsFrame {
  if (typeof topic !== 'string' || !isSequence(first) || !events.every((event) => event instanceof Uint8Array)) {
    throw malformedFrame('events without their topic and number');
  }
  return { topic, first, events: events as Uint8Array[] };
}

/** What stands for a subscription in a result. */
export interface TopicPayload {
  readonly topic: string;
  /** The number after which events follow. */
  readonly last: number;
  /** How many before that the subscriber wanted and cannot have. */
  readonly missed: number;
}

/** Makes the payload of a `TOPIC`. */
export function topicPayload({ topic, last, missed }: TopicPayload): unknown[] {
  return missed === 0 ? [topic, last] : [topic, last, missed];
}

/** Checks the payload of a `TOPIC`. */
export function readTopic(payload: unknown): TopicPayload {
  const [topic, last, missed = 0] = Array.isArray(payload) ? payload : [];
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

/** Whether a value can be the number of an event, or 0 for that before the first. */
export function isSequence(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
