import { MAX_REMEMBERED, MIN_REMEMBERED } from './tags.ts';

const SLOTS = 256;

/**
 * Remembers the short strings of an encoding. It is a direct-mapped cache, not a map: a look-up costs a few
 * nanoseconds, and a string that lost its slot to another is just written again.
 */
export class StringTable {
  readonly #slots: string[] = new Array<string>(SLOTS).fill('');
  /** Serial numbers, counted over all encodings, so that starting a new one clears nothing. */
  readonly #serials = new Float64Array(SLOTS).fill(-1);
  #first = 0;
  #next = 0;

  /** Returns the number of an equal string, or remembers this one and returns -1; so too for lengths never remembered. */
  find(text: string): number {
    const { length } = text;
    if (length < MIN_REMEMBERED || length > MAX_REMEMBERED) return -1;
    const slot =
      (length * 31 + text.charCodeAt(0) * 7 + text.charCodeAt(length - 1) * 13 + text.charCodeAt(length >> 1) * 17) &
      (SLOTS - 1);
    if (this.#serials[slot] >= this.#first && this.#slots[slot] === text) return this.#serials[slot] - this.#first;
    this.#slots[slot] = text;
    this.#serials[slot] = this.#next++;
    return -1;
  }

  clear(): void {
    this.#first = this.#next;
  }

  mark(): number {
    return this.#next;
  }

  /** Forgets what was remembered since the mark. */
  rollback(mark: number): void {
    for (let slot = 0; slot < SLOTS; slot++) if (this.#serials[slot] >= mark) this.#serials[slot] = -1;
    this.#next = mark;
  }
}
