import { describe, expect, it } from 'vitest';
import { stretchOf } from '../src/statistics/stretch.ts';

/** Launches whose rounds have these ratios, one each. */
const launches = (...ratios: number[][]) => ratios.map((rounds) => rounds.map((ratio) => [ratio]));

/** Two rounds on either side of `middle`. */
const around = (middle: number, share: number) => [middle * (1 + share), middle / (1 + share)];

describe('stretchOf', () => {
  // 97.5 % quantiles of Student's t from its tables, over 1.960 of the normal distribution's.
  it.each([
    [3, 4.303],
    [6, 2.571],
  ])('is Student’s for %d launches that are all that differs', (n, student) => {
    const all = launches(...Array.from({ length: n }, (_, i) => [1 + i / 10, 1 + i / 10]));
    expect(stretchOf(all)).toBeCloseTo((Math.sqrt(n / (n - 1)) * student) / 1.96, 3);
  });

  it('counts the rounds too where launches differ no more than they do', () => {
    const alike = launches(around(1.001, 0.1), around(1, 0.1), around(0.999, 0.1));
    // Three differences within launches: Student's quantile of three degrees is 3.182.
    expect(stretchOf(alike)).toBeCloseTo((Math.sqrt(3 / 2) * 3.182) / 1.96, 2);
  });

  it('is Student’s by launches alone where none has a second round', () => {
    expect(stretchOf(launches([1], [1.1], [1.3]))).toBeCloseTo((Math.sqrt(3 / 2) * 4.303) / 1.96, 3);
  });

  it('leaves a single launch alone, of which nothing can be said', () => {
    expect(stretchOf(launches([1, 2, 3]))).toBe(1);
  });
});
