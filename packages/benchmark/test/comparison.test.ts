import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { type Comparison, compare } from '../src/statistics/comparison.ts';
import { SCENARIO, type Synthetic, syntheticLaunches } from './support/synthetic-launches.ts';

const QUIET = { launches: 5, rounds: 6, noise: 0.1 };
const EQUAL = { lumenize: 10, 'lumenize-again': 10, capnweb: 10, raw: 10 };

function compared(synthetic: Synthetic): Comparison[] {
  return compare('workerd', syntheticLaunches(synthetic), [SCENARIO], seededRandom(7));
}

function against(baseline: string, synthetic: Synthetic): Comparison {
  return compared(synthetic).find((each) => each.subject === 'lumenize' && each.baseline === baseline)!;
}

describe('compare', () => {
  it('finds an effect of 15 % and estimates its size', () => {
    const faster = against('capnweb', { ...QUIET, costs: { ...EQUAL, capnweb: 11.5 } });
    expect(faster.verdict).toBe('faster');
    expect(faster.ratio).toBeCloseTo(1.15, 1);
    expect(faster.ci95[0]).toBeLessThan(1.15);
    expect(faster.ci95[1]).toBeGreaterThan(1.15);
  });

  it('calls a subject slower that is', () => {
    expect(against('raw', { ...QUIET, costs: { ...EQUAL, raw: 8.5 } }).verdict).toBe('slower');
  });

  it('tells equals apart in fewer than one of twenty experiments', () => {
    let alarms = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const control = compared({ ...QUIET, costs: { lumenize: 10, 'lumenize-again': 10 }, seed });
      if (control.some(({ verdict }) => verdict !== 'no difference shown')) alarms++;
    }
    expect(alarms).toBeLessThan(5);
  });

  it('leaves an effect of 2 % unsaid even where the interval excludes 1', () => {
    const small = against('capnweb', { ...QUIET, noise: 0.001, costs: { ...EQUAL, capnweb: 10.2 } });
    expect(small.ci95[0]).toBeGreaterThan(1);
    expect(small.verdict).toBe('no difference shown');
  });

  it('is not moved by a machine that slows down to a third of its speed', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const equals = compared({ ...QUIET, noise: 0.02, drift: 2, costs: EQUAL, seed });
      expect(new Set(equals.map(({ verdict }) => verdict)), `seed ${seed}`).toEqual(new Set(['no difference shown']));
    }
    const real = against('capnweb', { ...QUIET, noise: 0.02, drift: 2, costs: { ...EQUAL, capnweb: 11.5 } });
    expect(real.verdict).toBe('faster');
    expect(real.ratio).toBeCloseTo(1.15, 1);
  });

  it('draws no conclusion in a scenario where Lumenize differs from itself', () => {
    const all = compared({ ...QUIET, costs: { ...EQUAL, 'lumenize-again': 12, capnweb: 20 } });
    expect(all.find(({ baseline }) => baseline === 'lumenize')?.verdict).toBe('faster');
    expect(all.find(({ baseline }) => baseline === 'capnweb')?.verdict).toBe('no conclusion');
  });

  it('draws no conclusion from two launches', () => {
    const two = against('capnweb', { ...QUIET, launches: 2, costs: { ...EQUAL, capnweb: 20 } });
    expect(two).toMatchObject({ verdict: 'no conclusion', launches: 2, rounds: 12 });
  });

  it('draws no conclusion from five rounds, however many ratios they have', () => {
    const of = (launches: number) => {
      return against('capnweb', { ...QUIET, launches, rounds: 1, costs: { lumenize: 10, capnweb: 20 } });
    };
    expect(of(5)).toMatchObject({ rounds: 5, verdict: 'no conclusion' });
    expect(of(6)).toMatchObject({ rounds: 6, verdict: 'faster' });
  });

  it('compares only the arms that took part', () => {
    const pairs = compared({ ...QUIET, costs: { lumenize: 10, capnweb: 10 } });
    expect(pairs.map(({ baseline }) => baseline)).toEqual(['capnweb']);
  });
});
