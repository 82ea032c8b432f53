import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { malformedFrame } from './errors.ts';
import type { EntryValues, FrameEntries } from './frame-reader.ts';
import { costOf } from './frame-writer.ts';

// What the two ends of a channel say to each other, in frames of their own (see `CHANNELS` in `tags.ts`). A channel
// carries chunks from a producer to a consumer, as fast as the consumer gives credit.

/** From the producer: the next chunk. */
export const DATA = 0;
/** From the producer: there are no more chunks; what a generator returned. From a WritableStream: all is written, and it is closed. */
export const END = 1;
/** From the producer: it failed; the content is a failure. */
export const FAIL = 2;
/** From the consumer: how much more may be sent. */
export const CREDIT = 3;
/** From the consumer: it wants no more; the content, if there is one, is a failure. */
export const STOP = 4;
/** From the producer: its credit is used up. A consumer that waits for chunks gives more than before. */
export const BLOCKED = 5;

/** `channel, kind, content`: not negative, a channel is named by the id that the sender gave it; below, by −1 − the receiver's. */
export type ChannelSignal = readonly [ref: number, kind: number, content?: unknown];

/** Smallest cost of a chunk, in bytes. */
export const CHUNK_COST = 1024;

/** The credit that a producer begins with: it need not wait for the first round trip, and computes little in vain. */
export const FIRST_WINDOW = 16 * CHUNK_COST;
/** By how much both sides raise it when the first chunk is bytes: to 256 KiB. */
export const RAISE_FOR_BYTES = 262_144 - FIRST_WINDOW;

export function isBytes(chunk: unknown): chunk is ArrayBuffer | ArrayBufferView {
  return ArrayBuffer.isView(chunk) || chunk instanceof ArrayBuffer;
}

/**
 * Returns the credit that a chunk takes, from the memory that its signal takes: both sides have counted that, and found
 * the same.
 */
export function chunkCost(cost: number): number {
  return Math.max(cost, CHUNK_COST);
}

/** Reads a frame of channels: `receive` is told each entry, and how many bytes of memory it takes. */
export function readChannels(
  { entries, text }: FrameEntries,
  values: EntryValues,
  receive: (entry: unknown, cost: number) => void,
): void {
  const isAlone = entries.length === 2;
  for (let at = 1; at < entries.length; at++) {
    // What its sender wrote, which says the same.
    const itsText = isAlone ? text.slice(text.indexOf(',') + 1, -1) : JSON.stringify(entries[at]);
    const { left, weight } = values;
    const signal = values.of(entries[at]);
    receive(signal, costOf(itsText, values.weight - weight, left - values.left));
  }
  values.checkUsed();
}

/** Checks an entry of a frame of channels. */
export function readChannelSignal(entry: unknown): ChannelSignal {
  if (!Array.isArray(entry) || !Number.isSafeInteger(entry[0]) || typeof entry[1] !== 'number') {
    throw malformedFrame('a signal without its channel');
  }
  return entry as unknown as ChannelSignal;
}

/** Checks an amount of credit. */
export function readAmount(content: unknown): number {
  if (!Number.isSafeInteger(content) || (content as number) < 0) throw malformedFrame('credit that is no amount');
  return content as number;
}

/**
 * Returns the parts that encode an error or a reason: the library's own as code and message, anything else as it is.
 */
export function failureContent(error: unknown): unknown[] {
  return error instanceof RpcError ? [error.code, error.message] : [error];
}

/** Makes the error or reason again. */
export function readFailure(content: unknown): unknown {
  if (!Array.isArray(content) || content.length > 2) throw malformedFrame('a failure that is none');
  const [error, message] = content;
  if (content.length < 2) return error;
  if (typeof error !== 'string' || typeof message !== 'string') throw malformedFrame('a failure without its code');
  // A newer peer may have codes that this side has not heard of.
  return new RpcError(error as RpcErrorCode, message);
}
