import type { Database } from './database.ts';

interface Held {
  readonly commit: number;
  readonly job: () => void;
}

/** Holds back what leaves an object until all that was written before is durable. Order is kept. */
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

  /** Lets nothing through any more: what was written is lost. */
  break(): void {
    this.#isBroken = true;
  }

  /** Does something that others see, now or when it may be seen. */
  pass(job: () => void): void {
    const { current, durable } = this.#database;
    if (this.#isBroken) return;
    if (this.#held.length === 0 && current <= durable) job();
    else this.#held.push({ commit: current, job });
  }

  /** Lets go of what is held back no longer. */
  open(): void {
    const { durable } = this.#database;
    const ready = this.#held.filter(({ commit }) => commit <= durable);
    this.#held = this.#held.filter(({ commit }) => commit > durable);
    for (const { job } of ready) job();
  }
}
