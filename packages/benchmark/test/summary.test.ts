import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { decodeSamples, encodeSamples } from '../src/statistics/histogram.ts';
import { summarize } from '../src/statistics/summary.ts';

describe('summarize', () => {
  it('gives the quantiles, mean and extremes of unsorted samples', () => {
    const samples = Array.from({ length: 1000 }, (_, i) => ((i * 7919) % 1000) + 1);
    const summary = summarize(samples);
    expect(summary).toMatchObject({ n: 1000, mean: 500.5, min: 1, max: 1000 });
    expect(summary.p50).toBeCloseTo(500.5, 0);
    expect(Math.abs(summary.p99 - 990)).toBeLessThanOrEqual(1);
    expect(summary.stddev).toBeCloseTo(288.7, 1);
  });

  it('estimates the quantiles of a distribution with a long tail', () => {
    const random = seededRandom(5);
    // Exponential, with a mean of 1: the time that a share p has is −ln(1 − p).
    const summary = summarize(Array.from({ length: 200_000 }, () => -Math.log(1 - random())));
    for (const [found, p] of [
      [summary.p50, 0.5],
      [summary.p75, 0.75],
      [summary.p95, 0.95],
      [summary.p99, 0.99],
      [summary.p999!, 0.999],
    ]) {
      expect(Math.abs(found / -Math.log(1 - p) - 1), `p ${p}`).toBeLessThan(0.02);
    }
  });
});

describe('encodeSamples', () => {
  it('keeps the distribution to 1 %, from microseconds to seconds', () => {
    const samples = [0.004, 0.15, 0.15, 0.151, 3.2, 2500];
    const histogram = decodeSamples(encodeSamples(samples));
    expect(histogram.totalCount).toBe(6);
    expect(Math.abs(histogram.getValueAtPercentile(50) / 0.15e6 - 1)).toBeLessThan(0.01);
    expect(Math.abs(histogram.maxValue / 2500e6 - 1)).toBeLessThan(0.01);
    expect(Math.abs(histogram.minNonZeroValue / 0.004e6 - 1)).toBeLessThan(0.01);
  });
});
