/** How long to wait between attempts to connect. */
export interface BackoffOptions {
  /** Longest wait before the first attempt after a loss, in milliseconds; it doubles with each further one. @default 250 */
  minDelayMs?: number;
  /** Longest wait at all, in milliseconds. @default 30000 */
  maxDelayMs?: number;
  /** How long a connection must have lasted for the waits to begin anew, in milliseconds. @default 5000 */
  stableMs?: number;
}

/** After that many attempts a server that says it is overloaded gets at least as much time as after as many failures. */
const OVERLOADED_ATTEMPTS = 3;

/** Counts attempts, and says how long to wait for the next one: anything up to a bound that doubles, so that thousands of clients do not come back at once. */
export class Backoff {
  readonly #min: number;
  readonly #max: number;
  readonly stableMs: number;
  #attempts = 0;

  constructor({ minDelayMs = 250, maxDelayMs = 30_000, stableMs = 5000 }: BackoffOptions) {
    this.#min = minDelayMs;
    this.#max = maxDelayMs;
    this.stableMs = stableMs;
  }

  /** Milliseconds to wait. */
  next(isOverloaded: boolean): number {
    if (isOverloaded) this.#attempts = Math.max(this.#attempts, OVERLOADED_ATTEMPTS);
    return Math.random() * Math.min(this.#max, this.#min * 2 ** this.#attempts++);
  }

  reset(): void {
    this.#attempts = 0;
  }
}
