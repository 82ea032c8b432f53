import { seededRandom } from '@lumenize/hosts/random';
import { mean, sampleVariance, standardDeviation } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { evenArrivals, poissonArrivals } from '../src/families/capacity/open-loop.ts';

const gapsOf = (arrivals: Float64Array) => [...arrivals.slice(1)].map((at, i) => at - arrivals[i]);

describe('poissonArrivals', () => {
  const arrivals = poissonArrivals(5000, 10_000, seededRandom(7));

  it('offers just what is stated, in order and within the time', () => {
    expect(arrivals.length).toBe(50_000);
    expect(arrivals[0]).toBeGreaterThanOrEqual(0);
    expect(arrivals.at(-1)).toBeLessThanOrEqual(10_000);
    expect(Math.min(...gapsOf(arrivals))).toBeGreaterThanOrEqual(0);
    expect(poissonArrivals(1, 10, seededRandom(7)).length).toBe(1);
  });

  it('has exponential gaps, which do not depend on one another', () => {
    const gaps = gapsOf(arrivals);
    expect(mean(gaps)).toBeCloseTo(0.2, 3);
    // As large as the mean, where even gaps would have 0.
    expect(standardDeviation(gaps) / mean(gaps)).toBeCloseTo(1, 1);
    // The share of gaps beyond twice the mean is e to the power of −2.
    expect(gaps.filter((gap) => gap > 0.4).length / gaps.length).toBeCloseTo(Math.exp(-2), 2);
    const [left, right] = [gaps.slice(0, -1), gaps.slice(1)];
    const together = mean(left.map((gap, i) => (gap - 0.2) * (right[i] - 0.2))) / sampleVariance(gaps);
    expect(Math.abs(together)).toBeLessThan(0.02);
  });

  it('fills windows with counts whose variance is their mean', () => {
    const counts = new Array<number>(1000).fill(0);
    for (const at of arrivals) counts[Math.min(999, Math.floor(at / 10))]++;
    expect(sampleVariance(counts) / mean(counts)).toBeGreaterThan(0.85);
    expect(sampleVariance(counts) / mean(counts)).toBeLessThan(1.15);
  });

  it('is the same again with the same seed, and another with another', () => {
    const draw = (seed: number) => [...poissonArrivals(400, 10, seededRandom(seed))].map((at) => at.toFixed(3));
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    expect(draw(1)).toEqual(['0.079', '6.151', '6.161', '7.112']);
  });
});

it('even arrivals are as far apart as they are to be', () => {
  expect([...evenArrivals(5, 4)]).toEqual([0, 5, 10, 15]);
});
