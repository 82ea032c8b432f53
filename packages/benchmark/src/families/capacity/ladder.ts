import type { Arm } from '../../engine/plan.ts';
import { summarize } from '../../statistics/summary.ts';
import type { SubjectName } from '../../subjects/subject.ts';
import type { OpenLoopTimes } from './open-loop.ts';

/** The objective that a load must meet to be within capacity. */
export const OBJECTIVE = {
  /** The longest time from their scheduled moment that 99 of 100 calls may take, in ms. */
  p99Ms: 10,
  /** The minimum share of the offered calls that must be answered when their time is over. */
  completedShare: 0.99,
};

/** The delay beyond which an arrival counts as held up by the generator, in ms. */
export const LATE_MS = 2;
/** The share of such arrivals beyond which the generator itself was a bottleneck. */
const LATE_SHARE = 0.01;
/**
 * Why a rung was beyond capacity. `generator` beside another reason means that the client process could not keep up
 * either.
 */
export type OverloadReason = 'errors' | 'backlog' | 'p99' | 'generator';

/** The figures of one offered load. Latencies are measured from the scheduled moments. */
export type Rung = Readonly<ReturnType<typeof rungOf>>;

/** Calculates the figures of a rung, and judges them. */
export function rungOf(
  offeredPerSecond: number,
  durationMs: number,
  { latenciesMs, lateMs, answeredMs, errors }: OpenLoopTimes,
  objective = OBJECTIVE,
) {
  const answeredBy = (atMs: number) => answeredMs.filter((each) => each <= atMs).length;
  const latencies = [...latenciesMs.filter((each) => !Number.isNaN(each))];
  // If nothing was answered, there is no latency, and the errors are sufficient.
  const { p50, p99, max } = summarize(latencies.length > 0 ? latencies : [0]);
  const lateShare = lateMs.filter((each) => each > LATE_MS).length / lateMs.length;
  const completedShare = answeredBy(durationMs + objective.p99Ms) / latenciesMs.length;
  const reasons: OverloadReason[] = [];
  if (errors.length > 0) reasons.push('errors');
  if (completedShare < objective.completedShare) reasons.push('backlog');
  if (p99 > objective.p99Ms) reasons.push('p99');
  if (reasons.length > 0 && lateShare > LATE_SHARE) reasons.push('generator');
  return {
    offeredPerSecond,
    /** The rate of calls answered while the load lasted. */
    completedPerSecond: rounded((1000 * answeredBy(durationMs)) / durationMs),
    /** The share of calls answered by the end of the load, plus the p99 of the objective for the last calls. */
    completedShare: rounded(completedShare),
    ...{ p50Ms: rounded(p50), p99Ms: rounded(p99), maxMs: rounded(max) },
    ...{ errors: errors.length, ...(errors.length > 0 && { firstError: errors[0] }) },
    /** The share of arrivals that were sent more than 2 ms late, and the longest such delay. */
    ...{ lateShare: rounded(lateShare), latestMs: rounded(Math.max(...lateMs)) },
    /** Empty if the load was within capacity. */
    reasons: reasons as readonly OverloadReason[],
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** A method that does nothing or writes a small row, and the number of objects that calls are spread over. */
export type Cell = ReturnType<typeof cellsOf>[number];

function cellsOf(...objects: readonly number[]) {
  return (['noop', 'insert'] as const).flatMap((method) =>
    objects.map((of) => ({ scenario: `capacity/${method}-${of}-object${of === 1 ? '' : 's'}`, method, objects: of })),
  );
}

/** The cells to search, and how thoroughly. */
export const SEARCH = {
  cells: cellsOf(1, 16),
  /** The number of connections of each arm, spread over the objects. */
  connections: 32,
  warmUpMs: 300,
  rungMs: 300,
  ladder: {
    /**
     * The factor from one load to the next upwards. Downwards it is two such steps, because loads beyond capacity take
     * long.
     */
    step: 1.25,
    /** The search ends when the first overload is at most this many times the knee. */
    precision: 1.065,
    maxRungs: 12,
  },
};

/** Everything once and as short as possible, to show that it works. */
export const SHORTEST: typeof SEARCH = {
  ...{ ...SEARCH, connections: 4, warmUpMs: 40, rungMs: 60 },
  cells: [cellsOf(1)[0], cellsOf(2)[1]],
  ladder: { step: 4, precision: 2, maxRungs: 4 },
};

/** The search of one launch. */
export type Search = typeof SEARCH & {
  readonly arms: readonly Arm<SubjectName>[];
  readonly url: string;
  readonly seed: number;
};

/** One ladder: every rung, in the order of the search. */
export interface LadderReport {
  readonly scenario: string;
  readonly arm: string;
  /**
   * The knee, in calls per second. Without a knee no load was within capacity; without an overload none was beyond it.
   */
  readonly kneePerSecond?: number;
  readonly firstOverloadPerSecond?: number;
  readonly rungs: readonly Rung[];
}

/** Options for searching for the knee. `start` is the first load, in calls per second. */
export type LadderOptions = typeof SEARCH.ladder & { readonly start: number };

/** The part of a rung that a ladder uses to decide. */
type Judged = Pick<Rung, 'offeredPerSecond' | 'reasons'>;

/**
 * Searches for the knee. It goes upwards from `start` while loads are within capacity, and downwards while they are
 * not. Then it bisects, in ratios, between the highest load within capacity and the lowest beyond. A load that failed
 * only by its p99 is tried once more, because a single pause of the machine can cause that in a short rung. Two in a
 * row are no coincidence.
 */
export class Ladder<Each extends Judged = Rung> {
  readonly #options: LadderOptions;
  readonly rungs: Each[] = [];
  /** The highest load within capacity; undefined if there was none. */
  knee: Each | undefined;
  /** The lowest load beyond capacity; undefined if there was none. */
  firstOverload: Each | undefined;
  #doubtful: Each | undefined;

  constructor(options: LadderOptions) {
    this.#options = options;
  }

  /** Returns the next load to offer, or `undefined` when the search has ended. */
  next(): number | undefined {
    const { start, step, precision, maxRungs } = this.#options;
    if (this.rungs.length >= maxRungs) return undefined;
    if (this.#doubtful) return this.#doubtful.offeredPerSecond;
    const low = this.knee?.offeredPerSecond;
    const high = this.firstOverload?.offeredPerSecond;
    if (low === undefined) return rate(high === undefined ? start : high / step ** 2);
    if (high === undefined) return rate(low * step);
    if (high / low <= precision) return undefined;
    return rate(Math.sqrt(low * high));
  }

  record(rung: Each): void {
    this.rungs.push(rung);
    const again = this.#doubtful !== undefined;
    this.#doubtful = undefined;
    if (rung.reasons.length === 0) this.knee = rung;
    else if (!again && this.rungs.length < this.#options.maxRungs && isDoubtful(rung)) this.#doubtful = rung;
    else this.firstOverload = rung;
  }
}

function isDoubtful({ reasons }: Judged): boolean {
  return reasons.includes('p99') && !reasons.includes('backlog') && !reasons.includes('errors');
}

/** Rounds a load to three digits, because more mean nothing. Fewer would make two low loads the same. */
function rate(perSecond: number): number {
  return Number(perSecond.toPrecision(3));
}
