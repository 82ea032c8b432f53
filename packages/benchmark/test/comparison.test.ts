import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import { type Comparison, compare } from '../src/statistics/comparison.ts';
import { COMPARED, CONTROL } from '../src/subjects/arms.ts';
import { type Drift, SCENARIO, type Simulated, simulatedRun } from './support/simulated-run.ts';

const RUNS = 200;
const TIMEOUT_MS = 60_000;

/** What many runs say of `lumenize`, whose cost is 10 ms, against an arm that costs `baselineMs`. */
const outcomes = (baselineMs: number, options: Partial<Simulated> = {}, runs = RUNS, baseline = 'capnweb') =>
  Array.from({ length: runs }, (_, i) => {
    const blocks = simulatedRun({ lumenize: 10, [baseline]: baselineMs }, 7 * i + 1, options);
    return compare('workerd', blocks, [SCENARIO], seededRandom(i), COMPARED)[0];
  });

const share = (all: readonly Comparison[], verdict: Comparison['verdict']) =>
  all.filter((each) => each.verdict === verdict).length / all.length;

const coverage = (all: readonly Comparison[], truth: number) =>
  all.filter(({ ci95: [low, high] }) => low <= truth && truth <= high).length / all.length;

const width = (all: readonly Comparison[]) =>
  all.reduce((sum, { ci95: [low, high] }) => sum + high - low, 0) / all.length;

describe('of two hundred runs with heavy tails, outliers and launches that differ', { timeout: TIMEOUT_MS }, () => {
  it('at least 85 % find an effect of 5 %, and none the opposite', () => {
    for (const [baselineMs, found, opposite] of [
      [10.5, 'faster', 'slower'],
      [10 / 1.05, 'slower', 'faster'],
    ] as const) {
      const all = outcomes(baselineMs);
      expect(share(all, found)).toBeGreaterThanOrEqual(0.85);
      expect(share(all, opposite)).toBe(0);
    }
  });

  it('at least 97 % call the A/A arm equal', () => {
    for (const launchEffect of [0.01, 0.02]) {
      const controls = outcomes(10, { launchEffect }, RUNS, CONTROL.id);
      expect(share(controls, 'no difference shown')).toBeGreaterThanOrEqual(0.97);
    }
  });

  it.each([
    { launches: 6, rounds: 8, launchEffect: 0.01, least: 0.95 },
    { launches: 3, rounds: 2, launchEffect: 0.01, least: 0.92 },
    { launches: 3, rounds: 6, launchEffect: 0.03, least: 0.92 },
    // What launches add is all that counts here: their medians are six, and rounds make nothing more certain.
    { launches: 6, rounds: 12, launchEffect: 0.03, least: 0.9 },
  ])('the interval holds the true ratio at the rate that it claims, about: %o', ({ least, ...options }) => {
    expect(coverage(outcomes(10.5, options), 1.05)).toBeGreaterThanOrEqual(least);
  });

  it('fewer launches have wider intervals, though they have as many rounds in all', () => {
    const of = (launches: number) => width(outcomes(10.5, { launches, rounds: 24 / launches, launchEffect: 0.02 }, 40));
    expect(of(6)).toBeGreaterThan(1.1 * of(12));
    expect(of(3)).toBeGreaterThan(1.4 * of(6));
  });
});

describe.each<[string, Drift]>([
  ['slows down to half its speed bit by bit', (progress) => 1 + progress],
  ['slows down to half its speed at once', (progress) => (progress < 0.45 ? 1 : 2)],
  ['is throttled for a while', (progress) => (progress > 0.55 && progress < 0.9 ? 1.8 : 1)],
])('a machine that %s', { timeout: TIMEOUT_MS }, (_name, drift) => {
  const verdicts = (baselineMs: number, options: Partial<Simulated>) =>
    outcomes(baselineMs, options, 60).map(({ verdict }) => verdict);

  it('moves no verdict on equals, and none on what is 15 % faster', () => {
    expect(verdicts(10, { drift })).toEqual(verdicts(10, {}));
    expect(verdicts(11.5, { drift })).toEqual(verdicts(11.5, {}));
  });
});

// Pairs cannot balance what changes from one block of a round to the next: there it is noise, which intervals show.
describe.each([5.3, 7.3, 11.3])('a machine that is throttled %d times a launch', { timeout: TIMEOUT_MS }, (times) => {
  const drift: Drift = (progress) => ((progress * times) % 1 < 0.4 ? 1.8 : 1);

  it('still has at least 97 % of runs call equals equal', () => {
    expect(share(outcomes(10, { drift }), 'no difference shown')).toBeGreaterThanOrEqual(0.97);
  });

  it('widens intervals, and hides effects rather than turn them round', () => {
    const throttled = outcomes(11.5, { drift }, 60);
    expect(width(throttled)).toBeGreaterThan(2 * width(outcomes(11.5, {}, 60)));
    expect(share(throttled, 'slower')).toBe(0);
  });
});

/** What is said of `lumenize`, which takes 10 ms, by the baseline. */
function compared(costs: Record<string, number>, options: Partial<Simulated> = {}) {
  const blocks = simulatedRun({ lumenize: 10, ...costs }, 1, options);
  const all = compare('workerd', blocks, [SCENARIO], seededRandom(7), COMPARED);
  return Object.fromEntries(all.map((each) => [each.baseline, each]));
}

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
