import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { meanInterval, ratioInterval, slopeOf } from '../src/statistics/mean-interval.ts';

const CONNECTIONS = [100, 1000, 2000, 3500, 5000];

/** What a launch would read: 40 MB and 2500 bytes a connection, give or take a MB. */
function noisySlope(random: () => number, bytes = 2500): number {
  // The sum of twelve uniform numbers is close to a normal one of variance 1.
  const normal = () => Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, -6);
  return slopeOf(CONNECTIONS.map((count) => [count, 40e6 + bytes * count + 1e6 * normal()]));
}

describe('slopeOf', () => {
  it('finds the slope of points on a line, whatever its height', () => {
    expect(slopeOf(CONNECTIONS.map((count) => [count, 40e6 + 2500 * count]))).toBeCloseTo(2500, 6);
  });

  it('finds that of least squares where they are not, and throws where there is only one number of connections', () => {
    const points = (...y: number[]): [number, number][] => y.map((each, x) => [x, each]);
    expect(slopeOf(points(0, 3, 3))).toBeCloseTo(1.5, 12);
    expect(() => slopeOf(points(2))).toThrow('a slope needs two points');
  });
});

describe('meanInterval', () => {
  it('is that of Student', () => {
    // By hand: mean 2, standard deviation 1, t of two degrees of freedom 4.3027.
    const { value, ci95, n } = meanInterval([1, 2, 3]);
    expect([value, n]).toEqual([2, 3]);
    expect(ci95![0]).toBeCloseTo(2 - 4.3027 / Math.sqrt(3), 3);
    expect(ci95![1]).toBeCloseTo(2 + 4.3027 / Math.sqrt(3), 3);
    expect(meanInterval([7])).toEqual({ value: 7, n: 1 });
  });

  it('holds the true slope of noisy launches in about 95 of 100 runs', () => {
    const random = seededRandom(11);
    let held = 0;
    for (let run = 0; run < 1000; run++) {
      const { ci95 } = meanInterval(Array.from({ length: 4 }, () => noisySlope(random)));
      if (ci95![0] <= 2500 && 2500 <= ci95![1]) held++;
    }
    expect(held).toBeGreaterThan(930);
    expect(held).toBeLessThan(970);
  });
});

describe('ratioInterval', () => {
  it('finds a ratio of slopes, and that of equal ones to be 1 in about 95 of 100 runs', () => {
    const random = seededRandom(12);
    let equal = 0;
    let above = 0;
    for (let run = 0; run < 500; run++) {
      const ratios = (bytes: number) =>
        ratioInterval(Array.from({ length: 4 }, () => noisySlope(random, bytes) / noisySlope(random)));
      const same = ratios(2500).ci95!;
      if (same[0] <= 1 && 1 <= same[1]) equal++;
      const more = ratios(5000);
      expect(more.value).toBeGreaterThan(1.5);
      if (more.ci95![0] > 1) above++;
    }
    expect(equal).toBeGreaterThan(460);
    expect(equal).toBeLessThan(490);
    expect(above).toBeGreaterThan(490);
  });

  it('is as wide in factors upwards as downwards, and refuses what is no ratio', () => {
    const { value, ci95 } = ratioInterval([0.5, 2]);
    expect(value).toBeCloseTo(1, 12);
    expect(ci95![0] * ci95![1]).toBeCloseTo(1, 9);
    expect(() => ratioInterval([1, -1])).toThrow('a ratio is not above 0');
  });
});
