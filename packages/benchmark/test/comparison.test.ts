import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { compare } from '../src/statistics/comparison.ts';
import { COMPARED } from '../src/subjects/arms.ts';
import { SCENARIO, type Simulated, simulatedRun } from './support/simulated-run.ts';

/** What is said of `lumenize`, which takes 10 ms, by the baseline. */
function compared(costs: Record<string, number>, options: Partial<Simulated> = {}) {
  const blocks = simulatedRun({ costs: { lumenize: 10, ...costs }, seed: 1, ...options });
  const all = compare('workerd', blocks, [SCENARIO], seededRandom(7), COMPARED);
  return Object.fromEntries(all.map((each) => [each.baseline, each]));
}

// How often verdicts are right is in rates.test.ts.
describe('compare', () => {
  it('leaves an effect of 2 % unsaid even where the interval excludes 1', () => {
    const { capnweb } = compared({ capnweb: 10.2 }, { launches: 40, rounds: 40, launchEffect: 0 });
    expect(capnweb.ci95[0]).toBeGreaterThan(1);
    expect(capnweb.verdict).toBe('no difference shown');
  });

  it('draws no conclusion in a scenario where Lumenize differs from itself', () => {
    const { lumenize, capnweb } = compared({ 'lumenize-again': 12, capnweb: 20 });
    expect([lumenize.verdict, capnweb.verdict]).toEqual(['faster', 'no conclusion']);
  });

  it.each([
    [{ launches: 2, rounds: 6 }, 'no conclusion'],
    [{ launches: 5, rounds: 1 }, 'no conclusion'],
    [{ launches: 6, rounds: 1 }, 'faster'],
  ])('draws a conclusion from three launches and six rounds, however many ratios they have: %o', (options, verdict) => {
    const rounds = options.launches * options.rounds;
    expect(compared({ capnweb: 20 }, options).capnweb).toMatchObject({ launches: options.launches, rounds, verdict });
  });

  it('compares only the arms that took part', () => {
    expect(Object.keys(compared({ capnweb: 10 }))).toEqual(['capnweb']);
  });
});
