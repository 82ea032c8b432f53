import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scheduler, Task } from './scheduler.ts';

const realms = new AsyncLocalStorage<Realm>();

/** Begins tasks of a realm: at once, or when the object of the realm lets events in. */
export type Admit = (begin: () => void, section: object | undefined) => void;

/** A simulated clock. The date of a side may jump, while time passes evenly. */
export interface Clock {
  /** By how many milliseconds the date is ahead of the world's. */
  aheadMs: number;
}

/**
 * A place where code runs: a client, the Worker, one life of an object, or the program that drives them. Code keeps its
 * realm over every `await`. When the realm ends, its timers and pending operations are gone, as in a process that was
 * ended.
 */
export class Realm {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  /** The timers that have not fired, by their ids. */
  readonly timers = new Map<number, Task>();
  /** Begins tasks. */
  admit: Admit = (begin) => begin();
  /** Called when a timer was set, has fired or was cleared. */
  changed: () => void = () => {};
  /** The longest time that a request from here to an object is under way, in milliseconds. */
  hopMs = 2;
  /**
   * The time until which the machine sleeps, by the world's clock. Meanwhile no timer fires, and its own measure of
   * time stands still.
   */
  #asleepUntil = 0;
  #sleptMs = 0;
  #isAlive = true;

  constructor(name: string, scheduler: Scheduler, clock: Clock) {
    this.name = name;
    this.scheduler = scheduler;
    this.clock = clock;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Runs a function in this realm. */
  run<Result>(job: () => Result): Result {
    return realms.run(this, job);
  }

  /**
   * Runs a function in this realm some time later, unless the realm has ended by then. Nothing in the realm delays it.
   */
  after(ms: number, what: string, job: () => void): Task {
    return this.scheduler.after(ms, this.name, what, () => {
      if (this.#isAlive) this.run(job);
    });
  }

  /** Makes the machine sleep. */
  sleep(ms: number): void {
    const until = this.scheduler.now + Math.max(this.sleepsMs, ms);
    this.#sleptMs += until - this.scheduler.now - this.sleepsMs;
    this.#asleepUntil = until;
  }

  /** Wakes the machine early. */
  wake(): void {
    this.#sleptMs -= this.sleepsMs;
    this.#asleepUntil = 0;
  }

  /** How long the machine still sleeps, in milliseconds. */
  get sleepsMs(): number {
    return Math.max(0, this.#asleepUntil - this.scheduler.now);
  }

  /** How long the machine has been awake, in milliseconds. During sleep, it is the value at the time of waking. */
  get awakeMs(): number {
    return this.scheduler.now + this.sleepsMs - this.#sleptMs;
  }

  /** Ends the realm. None of its code runs any more. */
  end(): void {
    this.#isAlive = false;
    for (const task of this.timers.values()) task.cancel();
    this.timers.clear();
  }

  note(event: string, detail?: string | number): void {
    this.scheduler.trace.add(this.scheduler.now, this.name, event, detail);
  }
}

/** Returns the realm of the running code, or undefined outside of all worlds. */
export function currentRealm(): Realm | undefined {
  return realms.getStore();
}

/**
 * Returns the realm of the running code.
 * @throws {Error} outside of all worlds
 */
export function requireRealm(what: string): Realm {
  const realm = realms.getStore();
  if (realm === undefined) throw new Error(`${what} is for code that runs in a simulated world: see World.run()`);
  return realm;
}
