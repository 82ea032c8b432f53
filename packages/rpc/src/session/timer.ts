/** The longest delay of a timer, about 24 days. A timer that is set for longer goes off at once. */
const LONGEST_MS = 2_147_483_647;

/** Runs one job later, unless it is stopped or set again first. */
export class Timer {
  #timer: ReturnType<typeof setTimeout> | undefined;

  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /**
   * Runs a job after a delay in milliseconds. A delay longer than a timer supports is ignored: the job does not run.
   */
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

/** A point in time, by the two available clocks. */
export type Moment = readonly [counted: number, date: number];

/** Returns the current moment. */
export function moment(): Moment {
  return [performance.now(), Date.now()];
}

/**
 * Returns the milliseconds since a moment, and never fewer than have passed. It takes the larger difference, because
 * the monotonic clock may stand still while a machine sleeps, and the date does not.
 */
export function since([counted, date]: Moment): number {
  return Math.max(performance.now() - counted, Date.now() - date);
}

/** Runs a job in the next microtask. In workerd, `queueMicrotask` takes several times as long as a promise. */
export function next(job: () => void): void {
  void Promise.resolve().then(job);
}

/**
 * Runs a job at the end of a turn, one microtask later than `next`. The work of an async function that is resumed in
 * the turn still comes before it.
 */
export function atEndOfTurn(job: () => void): void {
  void Promise.resolve().then().then(job);
}
