/** A timer that is set for longer, some 24 days, goes off at once. */
const LONGEST_MS = 2_147_483_647;

/** Does one thing later, unless it is stopped or set anew before. */
export class Timer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Sets it, in milliseconds. What is further away than a timer can be set is not done. */
  set(ms: number, job: () => void): void {
    this.stop();
    if (ms > LONGEST_MS) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      job();
    }, ms);
  }

  stop(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** A point in time, by the two clocks that there are. */
export type Moment = readonly [counted: number, date: number];

/** Returns the present moment. */
export function moment(): Moment {
  return [performance.now(), Date.now()];
}

/** Returns the milliseconds since a moment: never less than there were. What is counted may stand still while a machine sleeps; the date does not. */
export function since([counted, date]: Moment): number {
  return Math.max(performance.now() - counted, Date.now() - date);
}

/** Runs a job next. In workerd `queueMicrotask` takes several times as long as a promise. */
export function next(job: () => void): void {
  void Promise.resolve().then(job);
}

/**
 * Runs a job when a turn has ended: one job later than the next, so that what an async function does when it is resumed
 * is still of the turn.
 */
export function atEndOfTurn(job: () => void): void {
  void Promise.resolve().then().then(job);
}
