/** What an open loop tells the time by. */
export interface Clock {
  /** In ms. */
  now(): number;
  /** Runs `task` in a later turn of the event loop, and not before `atMs`. */
  at(atMs: number, task: () => void): void;
}

/** Timers fire up to a millisecond late, and more where many do: the last of a wait is spent looking at the clock. */
const TIMER_MS = 3;

/**
 * The clock of this process. It looks at the time in every turn, which keeps a core busy: an arrival that waits for a
 * timer would be late by a tenth of the objective, and would share its turn with others.
 */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  at(atMs, task) {
    const look = () => {
      if (performance.now() >= atMs) task();
      else setImmediate(look);
    };
    const waitMs = atMs - performance.now();
    if (waitMs > TIMER_MS) setTimeout(look, waitMs - TIMER_MS);
    else setImmediate(look);
  },
};
