import type { Random } from '@lumenize/hosts/random';
import { within } from '../../blocks/block.ts';

/** Between the decision to begin and the first moment of the schedule. */
const LEAD_MS = 1;
/** Timers fire up to a millisecond late, and more where many do: the last of a wait is spent looking at the clock. */
const TIMER_MS = 3;
/** Far more than any backlog takes, so that only a call that never settles exceeds it. */
const DRAIN_MS = 30_000;

/** The clock of an open loop. */
export interface Clock {
  /** In ms. */
  now(): number;
  /** Runs `task` in a later turn of the event loop, and not before `atMs`. */
  at(atMs: number, task: () => void): void;
}

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

/**
 * Draws the moments of a Poisson process over `durationMs`, in ms from its start, on the condition that there are as
 * many as `ratePerSecond` says: gaps are exponential, and what is offered is what is stated, and not that by chance.
 */
export function poissonArrivals(ratePerSecond: number, durationMs: number, random: Random): Float64Array {
  const arrivals = new Float64Array(Math.max(1, Math.round((ratePerSecond * durationMs) / 1000)));
  let sum = 0;
  const gap = () => -Math.log(1 - random());
  for (let i = 0; i < arrivals.length; i++) {
    sum += gap();
    arrivals[i] = sum;
  }
  // One more gap, after which the next arrival would have come: the moments before it are as if drawn evenly.
  const whole = sum + gap();
  return arrivals.map((at) => (at / whole) * durationMs);
}

/** The outcome of each arrival of a schedule, in their order; times in ms. */
export interface OpenLoopTimes {
  /** From the scheduled moment to the answer; NaN where there was an error. */
  readonly latenciesMs: Float64Array;
  /** From the scheduled moment to that of sending: how far behind the generator itself was. */
  readonly lateMs: Float64Array;
  /** When the answer came, from the start of the schedule; NaN where there was an error. */
  readonly answeredMs: Float64Array;
  /** The message of each error. */
  readonly errors: readonly string[];
}

/** Thrown where an answer was wrong: unlike a refusal, no overload excuses it. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/**
 * Makes a call at each of `arrivalsMs`, whether or not earlier ones have been answered, each in a turn of its own: they stand
 * for clients that know nothing of one another. A latency begins at the scheduled moment, so that what a call waits because
 * the generator, or the event loop that it shares, is held up counts as waiting. Resolves when all is answered; rejects where
 * an answer is wrong, or takes longer than any backlog.
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
