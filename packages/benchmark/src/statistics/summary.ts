import { mean, quantileSorted, standardDeviation } from 'simple-statistics';

/** Fewer samples than this say nothing about one in a thousand. */
const SAMPLES_FOR_P999 = 100_000;

/** What is said of a set of times, in the unit of the times. */
export interface Summary {
  readonly n: number;
  readonly mean: number;
  readonly p50: number;
  readonly p75: number;
  readonly p95: number;
  readonly p99: number;
  /** Given from 100,000 samples up. */
  readonly p999?: number;
  readonly stddev: number;
  readonly min: number;
  readonly max: number;
}

/** Summarises `samples`, of which there must be at least one. */
export function summarize(samples: readonly number[]): Summary {
  const sorted = Float64Array.from(samples).sort() as unknown as number[];
  const quantile = (p: number) => quantileSorted(sorted, p);
  return {
    n: sorted.length,
    mean: mean(sorted),
    p50: quantile(0.5),
    p75: quantile(0.75),
    p95: quantile(0.95),
    p99: quantile(0.99),
    ...(sorted.length >= SAMPLES_FOR_P999 ? { p999: quantile(0.999) } : {}),
    stddev: standardDeviation(sorted),
    min: sorted[0],
    max: sorted[sorted.length - 1],
  };
}
