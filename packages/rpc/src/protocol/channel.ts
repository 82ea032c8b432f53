import { checkUsed, type Reviver, toJson } from '@lumenize/structured-clone/messages';
import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { malformedFrame } from './errors.ts';
import type { FrameEntries } from './frame-reader.ts';
import { costOf } from './frame-writer.ts';
import { errorContent, isWritable } from './result-frame.ts';

// The signals that the two ends of a channel exchange, in frames of their own (see `CHANNELS` in `tags.ts`). A channel
// carries chunks from a producer to a consumer, as fast as the consumer gives credit.

/** From the producer: the next chunk. */
export const DATA = 0;
/**
 * From the producer: there are no more chunks. The content is the value that a generator returned. From a
 * WritableStream: everything is written, and the stream is closed.
 */
export const END = 1;
/** From the producer: it failed. The content is a failure. */
export const FAIL = 2;
/** From the consumer: how much more may be sent. */
export const CREDIT = 3;
/** From the consumer: it wants no more chunks. The content, if there is one, is a failure. */
export const STOP = 4;
/** From the producer: its credit is used up. A consumer that waits for chunks gives more credit than before. */
export const BLOCKED = 5;

/**
 * `channel, kind, content`. A channel number of 0 or more is an id that the sender of the signal gave. A negative
 * channel number is −1 minus an id that the receiver gave.
 */
export type ChannelSignal = readonly [ref: number, kind: number, content?: unknown];

/** Smallest cost of a chunk, in bytes. */
export const CHUNK_COST = 1024;

/**
 * The credit that a producer begins with, in bytes. It need not wait for the first round trip, and produces little in
 * vain if the consumer stops.
 */
export const FIRST_WINDOW = 16 * CHUNK_COST;
/** Bytes by which both sides raise the credit if the first chunk is binary: to 256 KiB. */
export const RAISE_FOR_BYTES = 262_144 - FIRST_WINDOW;

export function isBytes(chunk: unknown): chunk is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(chunk) || chunk instanceof ArrayBuffer;
}

/** Returns the credit that a chunk takes, given the memory that its signal takes. Both sides compute the same cost. */
export function chunkCost(cost: number): number {
  return Math.max(cost, CHUNK_COST);
}

/** Reads a frame of channels. Calls `handle` with each entry, and with the bytes of memory that the entry takes. */
export function readChannels(
  { entries, text }: FrameEntries,
  values: Reviver,
  handle: (entry: unknown, cost: number) => void,
): void {
  const isAlone = entries.length === 2;
  for (let at = 1; at < entries.length; at++) {
    // A single entry's text is cut from the frame, which gives the same text as `toJson`.
    const itsText = isAlone ? text.slice(text.indexOf(',') + 1, -1) : toJson(entries[at]);
    const { left } = values;
    const signal = values.value(entries[at]);
    // An entry without marks is its own value.
    handle(signal, costOf(itsText, signal === entries[at] ? 0 : values.weight, left - values.left));
  }
  checkUsed(values);
}

/** Checks an entry of a frame of channels, and returns it. */
export function readChannelSignal(entry: unknown): ChannelSignal {
  if (!Array.isArray(entry) || !Number.isSafeInteger(entry[0]) || typeof entry[1] !== 'number') {
    throw malformedFrame('a signal without its channel');
  }
  return entry as unknown as ChannelSignal;
}

/**
 * Returns the parts that encode an error or a reason: code, message and data of an `RpcError`, any other value as it is.
 */
export function failureContent(error: unknown): unknown[] {
  return isWritable(error) ? errorContent(error) : [error];
}

/** Returns the error or reason that the parts encode. */
export function readFailure(content: unknown): unknown {
  if (!Array.isArray(content) || content.length > 3) throw malformedFrame('a failure without its code');
  const [error, message, data] = content;
  if (content.length < 2) return error;
  if (typeof error !== 'string' || typeof message !== 'string') throw malformedFrame('a failure without its code');
  // A newer peer may use codes that this side does not know.
  return new RpcError(error as RpcErrorCode, message, { data });
}
