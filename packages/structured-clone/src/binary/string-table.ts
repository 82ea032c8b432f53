import { MAX_REMEMBERED, MIN_REMEMBERED } from './tags.ts';

/**
 * Remembers the short strings of an encoding. It is a direct-mapped cache, not a map: a look-up costs a few
 * nanoseconds, and a string that lost its slot to another is just written again.
 */
export interface StringTable {
  /** Returns the number of an equal string, or remembers this one and returns -1; so too for lengths never remembered. */
  find(text: string): number;
  clear(): void;
}

const SLOTS = 256;

export function createStringTable(): StringTable {
  const slots: string[] = new Array(SLOTS).fill('');
  /** Serial numbers, counted over all encodings, so that starting a new one clears nothing. */
  const serials: number[] = new Array(SLOTS).fill(-1);
  let first = 0;
  let next = 0;

  return {
    find(text) {
      const { length } = text;
      if (length < MIN_REMEMBERED || length > MAX_REMEMBERED) return -1;
      const slot =
        (length * 31 + text.charCodeAt(0) * 7 + text.charCodeAt(length - 1) * 13 + text.charCodeAt(length >> 1) * 17) %
        SLOTS;
      const known = serials[slot] - first;
      if (known >= 0 && slots[slot] === text) return known;
      slots[slot] = text;
      serials[slot] = next++;
      return -1;
    },
    clear() {
      first = next;
    },
  };
}
