import { MAX_REMEMBERED, MIN_REMEMBERED } from './tags.ts';

/**
 * Remembers short strings of the encodings being written. It is a direct-mapped cache, not a map: a look-up costs a few
 * nanoseconds, and a string that lost its slot to another is just written again. All encoders share it; each encoding
 * has an epoch, by which its entries are known, so that starting a new one clears nothing.
 */
const SLOTS = 256;
const texts: string[] = [];
const epochs: number[] = [];
const numbers: number[] = [];

/** Whether strings of this length are remembered, and numbered by both sides. */
export function isRemembered(length: number): boolean {
  return length >= MIN_REMEMBERED && length <= MAX_REMEMBERED;
}

/** Returns the number that an equal string has in the encoding, or remembers this one as `next` and returns -1. */
export function findString(text: string, epoch: number, next: number): number {
  const { length } = text;
  const slot =
    (length * 31 + text.charCodeAt(0) * 7 + text.charCodeAt(length - 1) * 13 + text.charCodeAt(length >> 1) * 17) %
    SLOTS;
  if (epochs[slot] === epoch && texts[slot] === text) return numbers[slot];
  texts[slot] = text;
  epochs[slot] = epoch;
  numbers[slot] = next;
  return -1;
}
