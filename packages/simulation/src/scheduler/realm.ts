import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scheduler, Task } from './scheduler.ts';

const realms = new AsyncLocalStorage<Realm>();

/** Begins tasks of a realm: at once, or when the object that it is of lets events in. */
export type Admit = (begin: () => void, section: object | undefined) => void;

/** Takes part of the simulated clocks: the date of a side may jump, while time goes on evenly. */
export interface Clock {
  /** Milliseconds that the date is ahead of the world's. */
  aheadMs: number;
}

/**
 * A place where code runs: a client, the Worker, one life of an object, or the program that drives them. What runs in a realm keeps it
 * over every `await`; when the realm ends, its timers and what it waits for are gone, as with a process that was ended.
 */
export class Realm {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  /** Timers that have not fired, by their ids. */
  readonly timers = new Map<number, Task>();
  /** Begins tasks. */
  admit: Admit = (begin) => begin();
  /** Told when a timer was set, has fired or was cleared. */
  changed: () => void = () => {};
  /** Time that a request from here to an object is under way at most, in milliseconds. */
  hopMs = 2;
  /** Until when its machine sleeps, by the world's time: no timer fires meanwhile, and what it counts time by stands still. */
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

  /** Runs a function in this realm some time later, unless the realm has ended by then. Nothing in the realm holds it back. */
  after(ms: number, what: string, job: () => void): Task {
    return this.scheduler.after(ms, this.name, what, () => {
      if (this.#isAlive) this.run(job);
    });
  }

  /** Has its machine sleep. */
  sleep(ms: number): void {
    const until = this.scheduler.now + Math.max(this.sleepsMs, ms);
    this.#sleptMs += until - this.scheduler.now - this.sleepsMs;
    this.#asleepUntil = until;
  }

  /** Wakes it before its time. */
  wake(): void {
    this.#sleptMs -= this.sleepsMs;
    this.#asleepUntil = 0;
  }

  /** Time that it still sleeps, in milliseconds. */
  get sleepsMs(): number {
    return Math.max(0, this.#asleepUntil - this.scheduler.now);
  }

  /** Milliseconds that its machine was awake; while it sleeps, those until then. */
  get awakeMs(): number {
    return this.scheduler.now + this.sleepsMs - this.#sleptMs;
  }

  /** Ends it: nothing of it runs any more. */
  end(): void {
    this.#isAlive = false;
    for (const task of this.timers.values()) task.cancel();
    this.timers.clear();
  }

  note(event: string, detail?: string | number): void {
    this.scheduler.trace.add(this.scheduler.now, this.name, event, detail);
  }
}

/** The realm that the running code is of; undefined outside of all worlds. */
export function currentRealm(): Realm | undefined {
  return realms.getStore();
}

/**
 * The realm that the running code is of.
 * @throws {Error} outside of all worlds
 */
export function requireRealm(what: string): Realm {
  const realm = realms.getStore();
  if (realm === undefined) throw new Error(`${what} is for code that runs in a simulated world: see World.run()`);
  return realm;
}
