/** Timers keep whole milliseconds, and are late by up to one: the rest is waited for turn by turn. */
const EARLY_MS = 1.5;

/** Calls `ring` once `performance.now()` has reached the time that is set, and a few µs later at most on an idle core. */
export class Alarm {
  readonly #ring: () => void;
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Has it ring at `atMs`, or earlier where an earlier time is set. */
  set(atMs: number): void {
    if (atMs >= this.#due) return;
    this.#due = atMs;
    this.#wait();
  }

  /** Forgets what is set. */
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
