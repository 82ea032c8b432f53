import type { Clock } from './clock.ts';

/** Between the decision to begin and the first moment of the schedule. */
const LEAD_MS = 1;

/** What became of the arrivals of a schedule, in their order; times in ms. */
export interface OpenLoopTimes {
  /** From the scheduled moment to the answer; NaN where there was an error. */
  readonly latenciesMs: Float64Array;
  /** From the scheduled moment to that of sending: how far behind the generator itself was. */
  readonly lateMs: Float64Array;
  /** When the answer came, from the start of the schedule; NaN where there was an error. */
  readonly answeredMs: Float64Array;
  /** What each error said. */
  readonly errors: readonly string[];
}

/** Says that an answer was wrong: unlike a refusal, no overload excuses it. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/** A schedule under way. */
export interface Offering {
  /** Resolves when all has been sent and the time of the schedule is over. */
  readonly offered: Promise<void>;
  /** Resolves when all is answered; rejects where an answer is wrong. */
  readonly answered: Promise<OpenLoopTimes>;
}

/**
 * Makes a call at each of `arrivalsMs`, whether or not earlier ones have been answered, each in a turn of its own: they stand
 * for clients that know nothing of one another. A latency begins at the scheduled moment, so that what a call waits because
 * the generator, or the event loop that it shares, is held up counts as waiting.
 */
export function offer(
  arrivalsMs: Float64Array,
  durationMs: number,
  call: (arrival: number) => PromiseLike<unknown>,
  clock: Clock,
): Offering {
  const latenciesMs = new Float64Array(arrivalsMs.length).fill(Number.NaN);
  const answeredMs = new Float64Array(arrivalsMs.length).fill(Number.NaN);
  const lateMs = new Float64Array(arrivalsMs.length);
  const errors: string[] = [];
  const offered = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<OpenLoopTimes>();
  // Whoever awaits `offered` first must not be told of an unhandled rejection.
  answered.promise.catch(() => {});
  const begin = clock.now() + LEAD_MS;
  let open = arrivalsMs.length;

  const settled = () => {
    if (--open === 0) answered.resolve({ latenciesMs, lateMs, answeredMs, errors });
  };
  const send = (arrival: number) => {
    lateMs[arrival] = clock.now() - begin - arrivalsMs[arrival];
    call(arrival).then(
      () => {
        answeredMs[arrival] = clock.now() - begin;
        latenciesMs[arrival] = answeredMs[arrival] - arrivalsMs[arrival];
        settled();
      },
      (error: unknown) => {
        if (error instanceof WrongAnswer) answered.reject(error);
        errors.push(error instanceof Error ? error.message : String(error));
        settled();
      },
    );
  };
  const step = (arrival: number) => {
    if (arrival < arrivalsMs.length) {
      clock.at(begin + arrivalsMs[arrival], () => {
        send(arrival);
        step(arrival + 1);
      });
      return;
    }
    clock.at(begin + durationMs, offered.resolve);
  };
  step(0);
  return { offered: offered.promise, answered: answered.promise };
}
