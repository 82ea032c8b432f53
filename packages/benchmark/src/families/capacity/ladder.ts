import type { Arm } from '../../engine/plan.ts';
import { summarize } from '../../statistics/summary.ts';
import type { SubjectName } from '../../subjects/subject.ts';
import type { OpenLoopTimes } from './open-loop.ts';

/** The objective that a load must meet to be within capacity. */
export const OBJECTIVE = {
  /** The most that 99 of 100 calls may take from their scheduled moment. */
  p99Ms: 10,
  /** The least share of the calls offered that must be answered when their time is over. */
  completedShare: 0.99,
};

/** An arrival sent this long after its time was held up by the generator. */
export const LATE_MS = 2;
/** With more than this share of such arrivals the generator was a bottleneck itself. */
const LATE_SHARE = 0.01;
/** Why a rung was beyond capacity; `generator` beside another says that the client process could not keep up either. */
export type OverloadReason = 'errors' | 'backlog' | 'p99' | 'generator';

/** The figures of one offered load; latencies are from the scheduled moments. */
export type Rung = Readonly<ReturnType<typeof rungOf>>;

/** Puts the times of a rung into figures and judges them. */
export function rungOf(
  offeredPerSecond: number,
  durationMs: number,
  { latenciesMs, lateMs, answeredMs, errors }: OpenLoopTimes,
  objective = OBJECTIVE,
) {
  const answeredBy = (atMs: number) => answeredMs.filter((each) => each <= atMs).length;
  const latencies = [...latenciesMs.filter((each) => !Number.isNaN(each))];
  // Where nothing at all was answered there is no latency, and the errors say all.
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
    /** Answered while the load lasted. */
    completedPerSecond: rounded((1000 * answeredBy(durationMs)) / durationMs),
    /** Answered by the end of the load, with the objective's p99 for the last of them. */
    completedShare: rounded(completedShare),
    ...{ p50Ms: rounded(p50), p99Ms: rounded(p99), maxMs: rounded(max) },
    ...{ errors: errors.length, ...(errors.length > 0 && { firstError: errors[0] }) },
    /** Share of the arrivals that were sent more than 2 ms after their time, and the longest such delay. */
    ...{ lateShare: rounded(lateShare), latestMs: rounded(Math.max(...lateMs)) },
    /** Empty where the load was within capacity. */
    reasons: reasons as readonly OverloadReason[],
  };
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** The method to call, which does nothing or writes a small row, and the number of objects that the calls fall on. */
export type Cell = ReturnType<typeof cellsOf>[number];

function cellsOf(...objects: readonly number[]) {
  return (['noop', 'insert'] as const).flatMap((method) =>
    objects.map((of) => ({ scenario: `capacity/${method}-${of}-object${of === 1 ? '' : 's'}`, method, objects: of })),
  );
}

/** The cells to search, and how thoroughly. */
export const SEARCH = {
  cells: cellsOf(1, 16),
  /** Of each arm, spread over the objects. */
  connections: 32,
  warmUpMs: 300,
  rungMs: 300,
  ladder: {
    /** Upwards, each load is this many times the one before; downwards it goes by two such steps, as what is beyond capacity takes long. */
    step: 1.25,
    /** The search ends where first overload is at most this many times the knee. */
    precision: 1.065,
    maxRungs: 12,
  },
};

/** Everything once, as short as it can be: shows that it works. */
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
  /** In calls per second; without a knee no load was within capacity, without an overload none was beyond it. */
  readonly kneePerSecond?: number;
  readonly firstOverloadPerSecond?: number;
  readonly rungs: readonly Rung[];
}

/** Options for looking for the knee, from the first load on, in calls per second. */
export type LadderOptions = typeof SEARCH.ladder & { readonly start: number };

/** The part of a rung by which a ladder decides. */
type Judged = Pick<Rung, 'offeredPerSecond' | 'reasons'>;

/**
 * Looks for the knee: from `start` upwards as long as loads are within capacity, downwards as long as they are not, and
 * then by bisection, in ratios, between the highest load within and the lowest beyond. A load whose only failing was a
 * p99 is tried once more, because a single pause of the machine makes one of a short rung; two in a row do not come
 * by chance.
 */
export class Ladder<Each extends Judged = Rung> {
  readonly #options: LadderOptions;
  readonly rungs: Each[] = [];
  /** Without one no load was within capacity. */
  knee: Each | undefined;
  /** Without one no load was beyond it. */
  firstOverload: Each | undefined;
  #doubtful: Each | undefined;

  constructor(options: LadderOptions) {
    this.#options = options;
  }

  /** The next load to offer; `undefined` when the search has ended. */
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

/** More than three digits of a load say nothing; of a low one fewer are left, or two loads would be the same. */
function rate(perSecond: number): number {
  return Number(perSecond.toPrecision(3));
}
