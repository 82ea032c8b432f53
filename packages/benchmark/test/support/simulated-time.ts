import type { Clock } from '../../src/families/capacity/open-loop.ts';

/** Time that passes only from one task to the next, on an event loop that can be blocked. */
export class SimulatedTime implements Clock {
  #now = 0;
  readonly #tasks: { readonly atMs: number; readonly task: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  at(atMs: number, task: () => void): void {
    const later = this.#tasks.findLastIndex((each) => each.atMs <= atMs);
    this.#tasks.splice(later + 1, 0, { atMs, task });
  }

  /** Keeps the event loop from everything else for so long: to be called within a task. */
  block(ms: number): void {
    this.#now += ms;
  }

  /** Runs all tasks, and what they add, until none is left. */
  async run(): Promise<void> {
    for (let next = this.#tasks.shift(); next; next = this.#tasks.shift()) {
      this.#now = Math.max(this.#now, next.atMs);
      next.task();
      // What the task has settled is heard of before the next one.
      for (let i = 0; i < 4; i++) await undefined;
    }
  }
}

/** Serves one call after the other, each in `serviceMs`, but begins none between `stall.from` and `stall.to`. */
export function simulatedServer(time: SimulatedTime, serviceMs: number, stall = { from: 0, to: 0 }) {
  let freeAt = 0;
  return (): Promise<void> => {
    const begun = Math.max(time.now(), freeAt);
    freeAt = (begun >= stall.from && begun < stall.to ? stall.to : begun) + serviceMs;
    return new Promise((resolve) => time.at(freeAt, resolve));
  };
}
