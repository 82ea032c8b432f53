import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { bootstrapMedian } from '../src/statistics/bootstrap.ts';
import { pairedRatios } from '../src/statistics/pairs.ts';
import { SCENARIO, syntheticLaunches } from './support/synthetic-launches.ts';

function ratios(options: { launchEffect?: number; seed?: number } = {}) {
  const costs = { lumenize: 10, capnweb: 12 };
  const launches = syntheticLaunches({ costs, launches: 5, rounds: 6, noise: 0.05, ...options });
  return pairedRatios(launches, SCENARIO, 'lumenize', 'capnweb');
}

describe('bootstrapMedian', () => {
  it('gives the same interval for the same seed, and another for another', () => {
    const interval = (seed: number) => bootstrapMedian(ratios(), seededRandom(seed));
    expect(interval(3)).toEqual(interval(3));
    expect(interval(3).ci95).not.toEqual(interval(4).ci95);
    expect(interval(3).ratio).toBe(interval(4).ratio);
  });

  it('holds the true ratio in most of many experiments', () => {
    let held = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const [low, high] = bootstrapMedian(ratios({ seed, launchEffect: 0.1 }), seededRandom(seed)).ci95;
      if (low <= 1.2 && 1.2 <= high) held++;
    }
    expect(held).toBeGreaterThanOrEqual(90);
  });

  it('is wider where launches differ than where only blocks do', () => {
    const width = (launchEffect: number) => {
      const [low, high] = bootstrapMedian(ratios({ launchEffect }), seededRandom(1)).ci95;
      return high - low;
    };
    expect(width(0.2)).toBeGreaterThan(2 * width(0));
  });

  it('refuses to estimate from nothing', () => {
    expect(() => bootstrapMedian([[], []], seededRandom(1))).toThrow('no pair');
  });
});

describe('pairedRatios', () => {
  it('divides the times of one pass of one round, and leaves out what has no partner', () => {
    const block = (arm: string, round: number, pass: 0 | 1, totalMs: number) => {
      return { scenario: SCENARIO, arm, round, pass, totalMs, samplesMs: [totalMs] };
    };
    const launch = [
      block('a', 0, 0, 2),
      block('b', 0, 0, 3),
      block('b', 0, 1, 8),
      block('a', 0, 1, 4),
      block('b', 1, 0, 5),
    ];
    expect(pairedRatios([launch], SCENARIO, 'a', 'b')).toEqual([[[1.5, 2]]]);
  });
});
