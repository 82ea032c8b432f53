import { summarize } from '../../statistics/summary.ts';
import type { OpenLoopTimes } from './open-loop.ts';

/** What a load must meet to be within capacity. */
export interface Objective {
  /** The most that 99 of 100 calls may take from their scheduled moment. */
  readonly p99Ms: number;
  /** The least share of the calls offered that must be answered when their time is over. */
  readonly completedShare: number;
}

/** An arrival sent this long after its time was held up by the generator. */
export const LATE_MS = 2;
/** With more than this share of such arrivals the generator was a bottleneck itself. */
const LATE_SHARE = 0.01;

/** Why a rung was beyond capacity; `generator` beside another says that the client process could not keep up either. */
export type OverloadReason = 'errors' | 'backlog' | 'p99' | 'generator';

/** What one offered load came to; latencies are from the scheduled moments. */
export interface Rung {
  readonly offeredPerSecond: number;
  readonly arrivals: number;
  /** Answered while the load lasted. */
  readonly completedPerSecond: number;
  /** Answered by the end of the load, with the objective's p99 for the last of them. */
  readonly completedShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** From 100,000 answers up. */
  readonly p999Ms?: number;
  readonly maxMs: number;
  readonly errors: number;
  readonly firstError?: string;
  /** Share of the arrivals that were sent more than 2 ms after their time, and the longest such delay. */
  readonly lateShare: number;
  readonly latestMs: number;
  /** Empty where the load was within capacity. */
  readonly reasons: readonly OverloadReason[];
}

/** Puts the times of a rung into figures and judges them. */
export function rungOf(
  offeredPerSecond: number,
  durationMs: number,
  { latenciesMs, lateMs, answeredMs, errors }: OpenLoopTimes,
  objective: Objective,
): Rung {
  const arrivals = latenciesMs.length;
  const answeredBy = (atMs: number) => answeredMs.reduce((count, each) => (each <= atMs ? count + 1 : count), 0);
  const latencies = [...latenciesMs.filter((each) => !Number.isNaN(each))];
  // Where nothing at all was answered there is no latency, and the errors say all.
  const { p50, p99, p999, max } = summarize(latencies.length > 0 ? latencies : [0]);
  const lateShare = lateMs.reduce((count, each) => (each > LATE_MS ? count + 1 : count), 0) / arrivals;
  const rung = {
    offeredPerSecond,
    arrivals,
    completedPerSecond: rounded((1000 * answeredBy(durationMs)) / durationMs),
    completedShare: rounded(answeredBy(durationMs + objective.p99Ms) / arrivals),
    p50Ms: rounded(p50),
    p99Ms: rounded(p99),
    ...(p999 === undefined ? {} : { p999Ms: rounded(p999) }),
    maxMs: rounded(max),
    errors: errors.length,
    ...(errors.length > 0 ? { firstError: errors[0] } : {}),
    lateShare: rounded(lateShare),
    latestMs: rounded(Math.max(...lateMs)),
  };
  return { ...rung, reasons: reasonsOf(rung, objective) };
}

function reasonsOf(rung: Omit<Rung, 'reasons'>, objective: Objective): OverloadReason[] {
  const reasons: OverloadReason[] = [];
  if (rung.errors > 0) reasons.push('errors');
  if (rung.completedShare < objective.completedShare) reasons.push('backlog');
  if (rung.p99Ms > objective.p99Ms) reasons.push('p99');
  if (reasons.length > 0 && rung.lateShare > LATE_SHARE) reasons.push('generator');
  return reasons;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
