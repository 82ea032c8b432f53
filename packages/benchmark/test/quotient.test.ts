import { describe, expect, it } from 'vitest';
import { quotient } from '../src/statistics/quotient.ts';
import { verdictOf } from '../src/statistics/verdict.ts';

const times = (ratio: number, share: number) => ({
  ratio,
  ci95: [ratio / (1 + share), ratio * (1 + share)] as const,
});

describe('quotient', () => {
  it('adds half-widths as squares on the logarithmic scale', () => {
    const { ratio, ci95 } = quotient(
      { ratio: 6, ci95: [6 / Math.exp(0.3), 6 * Math.exp(0.3)] },
      { ratio: 2, ci95: [2 / Math.exp(0.4), 2 * Math.exp(0.4)] },
    );
    expect(ratio).toBeCloseTo(3);
    expect(ci95[0]).toBeCloseTo(3 / Math.exp(0.5));
    expect(ci95[1]).toBeCloseTo(3 * Math.exp(0.5));
  });

  it('keeps the sides apart: what was perhaps more then is perhaps less of a change', () => {
    const certain = times(1, 0);
    expect(quotient({ ratio: 1, ci95: [0.5, 1] }, certain).ci95).toEqual([0.5, 1]);
    const { ci95 } = quotient(certain, { ratio: 1, ci95: [1, 2] });
    expect(ci95[0]).toBeCloseTo(0.5);
    expect(ci95[1]).toBeCloseTo(1);
  });

  it('finds 5 % between runs that are exact to 3 %, and not between those that are to 4 %', () => {
    for (const [now, then, found] of [
      [1.26, 1.2, 'faster'],
      [1.2, 1.26, 'slower'],
    ] as const) {
      expect(verdictOf(quotient(times(now, 0.03), times(then, 0.03)))).toBe(found);
      expect(verdictOf(quotient(times(now, 0.04), times(then, 0.04)))).toBe('no difference shown');
    }
  });

  it('leaves changes of up to 3 % without a verdict, however exact the runs are', () => {
    expect(verdictOf(quotient(times(1.029, 0.001), times(1, 0.001)))).toBe('no difference shown');
  });
});
