import type { Random } from '@lumenize/hosts/random';
import { within } from '../../blocks/block.ts';

/** The time between the decision to begin and the start of the schedule. */
const LEAD_MS = 1;
/**
 * Timers fire up to a millisecond late, and later if there are many. So the last part of a wait checks the clock
 * instead.
 */
const TIMER_MS = 3;
/** Much longer than any backlog takes, so that only a call that never settles exceeds it. */
const DRAIN_MS = 30_000;

/** The clock of an open loop. */
export interface Clock {
  /** Returns the time in ms. */
  now(): number;
  /** Runs `task` in a later turn of the event loop, and not before `atMs`. */
  at(atMs: number, task: () => void): void;
}

/**
 * The clock of this process. It checks the time in every turn, which keeps a core busy. An arrival that waited for a
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

/**
 * Draws the times of a Poisson process over `durationMs`, in ms from its start. Their number is fixed by
 * `ratePerSecond`: gaps are exponential, and the offered load is exactly the stated one and not a random one.
 */
export function poissonArrivals(ratePerSecond: number, durationMs: number, random: Random): Float64Array {
  const arrivals = new Float64Array(Math.max(1, Math.round((ratePerSecond * durationMs) / 1000)));
  let sum = 0;
  const gap = () => -Math.log(1 - random());
  for (let i = 0; i < arrivals.length; i++) {
    sum += gap();
    arrivals[i] = sum;
  }
  // One more gap, after which the next arrival would have come. The times before it are distributed evenly.
  const whole = sum + gap();
  return arrivals.map((at) => (at / whole) * durationMs);
}

/** The outcome of each arrival of a schedule, in order, with times in ms. */
export interface OpenLoopTimes {
  /** The time from the scheduled moment to the answer; NaN for an error. */
  readonly latenciesMs: Float64Array;
  /** The time from the scheduled moment to sending: how late the generator itself was. */
  readonly lateMs: Float64Array;
  /** The time of the answer from the start of the schedule; NaN for an error. */
  readonly answeredMs: Float64Array;
  /** The message of each error. */
  readonly errors: readonly string[];
}

/** Thrown if an answer was wrong. Unlike a refusal, no overload excuses it. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/**
 * Makes a call at each of `arrivalsMs`, whether or not earlier calls have been answered. Each has a turn of its own,
 * like a call of an independent client. A latency begins at the scheduled moment, so it includes waiting for the
 * generator or the shared event loop. Resolves when all calls are answered. Rejects if an answer is wrong or takes
 * longer than any backlog.
 */
export function offer(
  arrivalsMs: Float64Array,
  durationMs: number,
  call: (arrival: number) => PromiseLike<unknown>,
  clock: Clock,
): Promise<OpenLoopTimes> {
  const latenciesMs = new Float64Array(arrivalsMs.length).fill(Number.NaN);
  const answeredMs = new Float64Array(arrivalsMs.length).fill(Number.NaN);
  const lateMs = new Float64Array(arrivalsMs.length);
  const errors: string[] = [];
  const settled = Promise.withResolvers<OpenLoopTimes>();
  const begin = clock.now() + LEAD_MS;
  let open = arrivalsMs.length;
  const send = async (arrival: number) => {
    lateMs[arrival] = clock.now() - begin - arrivalsMs[arrival];
    try {
      await call(arrival);
      answeredMs[arrival] = clock.now() - begin;
      latenciesMs[arrival] = answeredMs[arrival] - arrivalsMs[arrival];
    } catch (error) {
      if (error instanceof WrongAnswer) settled.reject(error);
      errors.push(error instanceof Error ? error.message : String(error));
    }
    if (--open === 0) settled.resolve({ latenciesMs, lateMs, answeredMs, errors });
  };
  const step = (arrival: number) => {
    if (arrival === arrivalsMs.length) return;
    clock.at(begin + arrivalsMs[arrival], () => {
      void send(arrival);
      step(arrival + 1);
    });
  };
  step(0);
  return within(durationMs + DRAIN_MS, settled.promise);
}
