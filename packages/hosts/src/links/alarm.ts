/**
 * How early the timer ends. Timers have whole milliseconds and are up to one late, so the rest is waited for in
 * immediates.
 */
const EARLY_MS = 1.5;

/** Calls `ring` once `performance.now()` has reached the set time. On an idle core it is at most a few µs late. */
export class Alarm {
  readonly #ring: () => void;
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Sets the alarm to `atMs`, unless it is already set to an earlier time. */
  set(atMs: number): void {
    if (atMs >= this.#due) return;
    this.#due = atMs;
    this.#wait();
  }

  /** Clears the alarm. */
  clear(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#due = Number.POSITIVE_INFINITY;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    const leftMs = this.#due - performance.now();
    if (leftMs > EARLY_MS) this.#timer = setTimeout(() => this.#check(), leftMs - EARLY_MS);
    else this.#immediate = setImmediate(() => this.#check());
  }

  #check(): void {
    if (performance.now() < this.#due) return this.#wait();
    this.#due = Number.POSITIVE_INFINITY;
    this.#ring();
  }
}
