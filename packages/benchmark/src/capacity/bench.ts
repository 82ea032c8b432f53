import type { Random } from '@lumenize/hosts/random';
import { expectAnswer } from '../scenarios/scenario.ts';
import { ROW } from './back-end.ts';
import { CALLERS, type CapacitySubject } from './callers/all.ts';
import type { Caller } from './callers/caller.ts';
import { PROCESS_CLOCK } from './load/clock.ts';
import { type Offering, type OpenLoopTimes, offer, WrongAnswer } from './load/open-loop.ts';
import type { Cell, Method } from './plan.ts';

/** Far more than any backlog takes, so that only a call that never settles exceeds it. */
const DRAIN_MS = 30_000;

/** Where an arm's connections lead to. */
export interface BenchPlace extends Cell {
  readonly url: string;
  readonly subject: CapacitySubject;
  readonly connections: number;
  /** What the objects' names begin with. */
  readonly prefix: string;
}

/** The connections of one arm to fresh objects, and a count of what was called over them. */
export class Bench {
  readonly #callers: readonly Caller[];
  readonly #objects: number;
  readonly #method: Method;
  readonly #random: Random;
  #answered = 0;
  #failed = 0;

  /** Opens all connections and makes a call over each. */
  static async open({ url, subject, connections, prefix, ...cell }: BenchPlace, random: Random): Promise<Bench> {
    const callers = await Promise.all(
      Array.from({ length: connections }, async (_, i) => CALLERS[subject](url, `${prefix}-${i % cell.objects}`)),
    );
    await Promise.all(callers.map((caller) => caller.noop()));
    return new Bench(callers, cell, random);
  }

  private constructor(callers: readonly Caller[], { objects, method }: Cell, random: Random) {
    this.#callers = callers;
    this.#objects = objects;
    this.#method = method;
    this.#random = random;
  }

  /** Offers a schedule over all connections: each arrival takes one at random, as independent clients would. */
  offer(arrivalsMs: Float64Array, durationMs: number): Offering {
    const { length } = this.#callers;
    const chosen = Uint16Array.from(arrivalsMs, () => Math.floor(this.#random() * length));
    return offer(arrivalsMs, durationMs, (arrival) => this.#call(this.#callers[chosen[arrival]]), PROCESS_CLOCK);
  }

  /** Has one call in flight on each connection for `durationMs`; resolves with calls per second of the second half. */
  async closedLoop(durationMs: number): Promise<number> {
    const half = performance.now() + durationMs / 2;
    const end = half + durationMs / 2;
    let counted = 0;
    await Promise.all(
      this.#callers.map(async (caller) => {
        for (let now = performance.now(); now < end; now = performance.now()) {
          await this.#call(caller);
          if (now >= half) counted++;
        }
      }),
    );
    return (1000 * counted) / (performance.now() - half);
  }

  /** Throws unless each row that was answered is there, and no other but of calls that failed. */
  async verify(): Promise<void> {
    if (this.#method !== 'insert') return;
    const rows = await Promise.all(this.#callers.slice(0, this.#objects).map((caller) => caller.rows()));
    const sum = rows.reduce((a, b) => a + b, 0);
    if (sum < this.#answered || sum > this.#answered + this.#failed) {
      throw new Error(`there are ${sum} rows after ${this.#answered} inserts, and ${this.#failed} that failed`);
    }
  }

  close(): void {
    for (const caller of this.#callers) caller.close();
  }

  async #call(caller: Caller): Promise<void> {
    try {
      if (this.#method === 'insert') check('insert', await caller.insert(ROW), 1);
      // JSON has no undefined.
      else check('noop', (await caller.noop()) ?? undefined, undefined);
      this.#answered++;
    } catch (error) {
      this.#failed++;
      throw error;
    }
  }
}

function check(what: string, answer: unknown, expected: unknown): void {
  try {
    expectAnswer(what, answer, expected);
  } catch (error) {
    throw new WrongAnswer((error as Error).message);
  }
}

/** Resolves when all that was offered is answered; rejects where that takes longer than any backlog. */
export async function answersTo({ answered }: Offering): Promise<OpenLoopTimes> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer to some call after ${DRAIN_MS} ms`)), DRAIN_MS);
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
