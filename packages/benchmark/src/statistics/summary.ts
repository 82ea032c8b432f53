import { mean, quantileSorted, standardDeviation } from 'simple-statistics';

/** Fewer samples than this say nothing about one in a thousand. */
const SAMPLES_FOR_P999 = 100_000;

/** Summarises `samples`, of which there must be at least one, in the unit of the samples. */
export function summarize(samples: readonly number[]) {
  const sorted = Float64Array.from(samples).sort() as unknown as number[];
  const quantile = (p: number) => quantileSorted(sorted, p);
  return {
    ...{ n: sorted.length, mean: mean(sorted), stddev: standardDeviation(sorted) },
    ...{ p50: quantile(0.5), p75: quantile(0.75), p95: quantile(0.95), p99: quantile(0.99) },
    /** Given from 100,000 samples up. */
    ...(sorted.length >= SAMPLES_FOR_P999 ? { p999: quantile(0.999) } : {}),
    ...{ min: sorted[0], max: sorted[sorted.length - 1] },
  };
}

/** What is said of a set of times. */
export type Summary = Readonly<ReturnType<typeof summarize>>;

/** The blocks compared at each end when steadiness is judged. */
const WINDOW = 3;
/** Blocks that get this much faster from one window to the next are still warming up. */
const STILL_IMPROVING = 0.05;

/** Tells whether the newest blocks are no longer faster than those before them. */
export function isSteady(blocksMs: readonly number[]): boolean {
  if (blocksMs.length < 2 * WINDOW) return false;
  const newest = Math.min(...blocksMs.slice(-WINDOW));
  const before = Math.min(...blocksMs.slice(-2 * WINDOW, -WINDOW));
  return newest >= before * (1 - STILL_IMPROVING);
}
