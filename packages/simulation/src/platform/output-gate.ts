import type { Database } from './database.ts';

interface Held {
  readonly commit: number;
  readonly job: () => void;
}

/** Holds back the output of an object until all earlier writes are durable. Keeps the order. */
export class OutputGate {
  readonly #database: Database;
  #held: Held[] = [];
  #isBroken = false;

  constructor(database: Database) {
    this.#database = database;
  }

  get isIdle(): boolean {
    return this.#held.length === 0 && this.#database.current === this.#database.durable;
  }

  /** Stops all output, because writes were lost. */
  break(): void {
    this.#isBroken = true;
  }

  /** Runs a job whose effect is visible outside, now or as soon as the earlier writes are durable. */
  pass(job: () => void): void {
    const { current, durable } = this.#database;
    if (this.#isBroken) return;
    if (this.#held.length === 0 && current <= durable) job();
    else this.#held.push({ commit: current, job });
  }

  /** Runs the jobs whose writes have become durable. */
  open(): void {
    const { durable } = this.#database;
    const ready = this.#held.filter(({ commit }) => commit <= durable);
    this.#held = this.#held.filter(({ commit }) => commit > durable);
    for (const { job } of ready) job();
  }
}
