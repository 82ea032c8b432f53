import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import jstat from 'jstat';
import { linearRegression, mean, quantileSorted, sampleStandardDeviation, standardDeviation } from 'simple-statistics';

/** The minimum number of samples for a statement about one in a thousand. */
const SAMPLES_FOR_P999 = 100_000;

/** Summarizes `samples`, in the unit of the samples. There must be at least one sample. */
export function summarize(samples: readonly number[]) {
  const sorted = Float64Array.from(samples).sort() as unknown as number[];
  const quantile = (p: number) => quantileSorted(sorted, p);
  return {
    ...{ n: sorted.length, mean: mean(sorted), stddev: standardDeviation(sorted) },
    ...{ p50: quantile(0.5), p75: quantile(0.75), p95: quantile(0.95), p99: quantile(0.99) },
    /** Included for 100,000 samples or more. */
    ...(sorted.length >= SAMPLES_FOR_P999 ? { p999: quantile(0.999) } : {}),
    ...{ min: sorted[0], max: sorted[sorted.length - 1] },
  };
}

/** Quantiles and moments of a set of times. */
export type Summary = Readonly<ReturnType<typeof summarize>>;

/** The number of blocks that are compared at each end to judge steadiness. */
const WINDOW = 3;
/** The speedup from one window to the next above which blocks are still warming up. */
const STILL_IMPROVING = 0.05;

/** Returns true if the newest blocks are no longer faster than those before them. */
export function isSteady(blocksMs: readonly number[]): boolean {
  if (blocksMs.length < 2 * WINDOW) return false;
  const newest = Math.min(...blocksMs.slice(-WINDOW));
  const before = Math.min(...blocksMs.slice(-2 * WINDOW, -WINDOW));
  return newest >= before * (1 - STILL_IMPROVING);
}

const UPPER = 0.975;

/**
 * Returns the mean of independent values, such as those of launches, with Student's 95 % interval. A single value has
 * no interval.
 */
export function meanInterval(values: readonly number[]): { value: number; ci95?: [number, number]; n: number } {
  if (values.length === 0) throw new Error('there is no value');
  const value = mean([...values]);
  const n = values.length;
  if (n < 2) return { value, n };
  const half = (jstat.studentt.inv(UPPER, n - 1) * sampleStandardDeviation([...values])) / Math.sqrt(n);
  return { value, ci95: [value - half, value + half], n };
}

/** Returns the geometric mean of ratios, with an interval that is symmetric in factors. */
export function ratioInterval(ratios: readonly number[]): ReturnType<typeof meanInterval> {
  if (ratios.some((ratio) => !(ratio > 0))) throw new Error('a ratio is not above 0');
  const { value, ci95, n } = meanInterval(ratios.map(Math.log));
  return { value: Math.exp(value), ...(ci95 && { ci95: [Math.exp(ci95[0]), Math.exp(ci95[1])] }), n };
}

/** Returns the slope of the least-squares line. Throws if there are not two different x. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  if (new Set(points.map(([x]) => x)).size < 2) throw new Error('a slope needs two points');
  return linearRegression(points.map(([x, y]) => [x, y])).m;
}

const NS_PER_MS = 1e6;
/** Two digits keep values accurate to 1 %, at a fraction of the size of three. */
const SIGNIFICANT_DIGITS = 2;

/** Encodes times in ms as a compressed HdrHistogram of nanoseconds, in base64. Reports draw distributions from it. */
export function encodeSamples(samplesMs: readonly number[]): string {
  const histogram = build({ numberOfSignificantValueDigits: SIGNIFICANT_DIGITS });
  for (const sample of samplesMs) histogram.recordValue(Math.max(1, Math.round(sample * NS_PER_MS)));
  return encodeIntoCompressedBase64(histogram);
}
