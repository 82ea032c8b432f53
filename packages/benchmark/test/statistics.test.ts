import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import { expect, it } from 'vitest';
import { encodeSamples, isSteady, meanInterval, ratioInterval, slopeOf, summarize } from '../src/statistics/summary.ts';

it('summarize gives the quantiles, mean and extremes of unsorted samples', () => {
  const { p50, p75, p95, p99, p999, stddev, ...rest } = summarize(
    Array.from({ length: 100_000 }, (_, i) => ((i * 7919) % 100_000) + 1),
  );
  expect(rest).toEqual({ n: 100_000, mean: 50_000.5, min: 1, max: 100_000 });
  for (const [share, found] of Object.entries({ 0.5: p50, 0.75: p75, 0.95: p95, 0.99: p99, 0.999: p999! })) {
    expect(Math.abs(found - Number(share) * 100_000), share).toBeLessThanOrEqual(1);
  }
  expect(stddev).toBeCloseTo(28_867.5, 1);
});

it('encodeSamples keeps the distribution to 1 %, from microseconds to seconds', () => {
  const histogram = decodeFromCompressedBase64(encodeSamples([0.004, 0.15, 0.15, 0.151, 3.2, 2500]));
  expect(histogram.totalCount).toBe(6);
  for (const [found, ms] of [
    [histogram.getValueAtPercentile(50), 0.15],
    [histogram.maxValue, 2500],
    [histogram.minNonZeroValue, 0.004],
  ]) {
    expect(Math.abs(found / (ms * 1e6) - 1)).toBeLessThan(0.01);
  }
});

it.each([
  ['while blocks are getting faster', [90, 80, 70, 60, 50, 40], false],
  ['when the newest are no faster than those before', [90, 50, 51, 49, 50, 50, 51], true],
  ['when they are slower', [50, 50, 50, 80, 90, 85], true],
  ['by too few', [50, 50, 50, 50, 50], false],
])('isSteady %s: %j is %s', (_, blocks, steady) => {
  expect(isSteady(blocks)).toBe(steady);
});

it('slopeOf finds the slope of least squares, and throws where there is only one number of connections', () => {
  const points = (...y: number[]): [number, number][] => y.map((each, x) => [x, each]);
  expect(slopeOf(points(0, 3, 3))).toBeCloseTo(1.5, 12);
  expect(() => slopeOf(points(2))).toThrow('a slope needs two points');
});

it('meanInterval is that of Student', () => {
  // By hand: mean 2, standard deviation 1, t of two degrees of freedom 4.3027.
  const { value, ci95, n } = meanInterval([1, 2, 3]);
  expect([value, n]).toEqual([2, 3]);
  expect(ci95![0]).toBeCloseTo(2 - 4.3027 / Math.sqrt(3), 3);
  expect(ci95![1]).toBeCloseTo(2 + 4.3027 / Math.sqrt(3), 3);
  expect(meanInterval([7])).toEqual({ value: 7, n: 1 });
});

it('ratioInterval is as wide in factors upwards as downwards, and refuses what is no ratio', () => {
  const { value, ci95 } = ratioInterval([0.5, 2]);
  expect(value).toBeCloseTo(1, 12);
  expect(ci95![0] * ci95![1]).toBeCloseTo(1, 9);
  expect(() => ratioInterval([1, -1])).toThrow('a ratio is not above 0');
});
