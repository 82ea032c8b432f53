import { describe, expect, it } from 'vitest';
import type { History } from '../src/environment/history.ts';
import { type Change, changesSince } from '../src/log/previous/changes.ts';
import { previousSection } from '../src/log/previous/section.ts';
import type { RecordedRun } from '../src/recorded/recorded-run.ts';
import { comparison, fixedRun } from './support/fixed-run.ts';
import { reading, recorded, simulatedRecord } from './support/recorded.ts';
import type { Simulated } from './support/simulated-run.ts';

const READ = 'getValue/sequential';
const COMMITS = ['a', 'b', 'c', 'd', 'e'];

/** A history of `COMMITS`, of which `changed` was the last that changed the code measured. */
function history(changed: string, changes: Partial<History> = {}): History {
  return {
    lastChange: (commit) => (COMMITS.includes(commit) ? { hash: changed, subject: 'Send less' } : undefined),
    isBefore: (a, b) => (COMMITS.includes(a) ? COMMITS.indexOf(a) < COMMITS.indexOf(b) : undefined),
    ...changes,
  };
}

const verdictsOf = (changes: readonly Change[]) => changes.map(({ verdict }) => verdict);

describe('changesSince', () => {
  it('divides each ratio by that of the newest run which has it', () => {
    const before = [reading(1, 'a', 1.1), reading(2, 'b', 1.2), recorded({ comparisons: [] })];
    const [change, ...more] = changesSince(reading(4, 'd', 1.8), before);
    expect(change.ratio).toBeCloseTo(1.5);
    expect(change.run.commit).toBe('b');
    expect(change.verdict).toBe('faster');
    expect(more).toEqual([]);
  });

  it('shows what became slower like what became faster', () => {
    expect(verdictsOf(changesSince(reading(2, 'b', 1.1), [reading(1, 'a', 1.2)]))).toEqual(['slower']);
  });

  const broken = [
    comparison(READ, 'lumenize', 1.2, [1.1, 1.3], 'faster'),
    comparison(READ, 'capnweb', 1.2, [1.19, 1.21], 'no conclusion'),
  ];
  const lone = [comparison(READ, 'capnweb', 1.2, [1.19, 1.21], 'faster')];
  const few = [comparison(READ, 'lumenize', 1, [0.9, 1.1], 'no conclusion'), ...lone];
  it.each([
    ['an A/A arm that differs', broken],
    ['no A/A arm', lone],
    ['an A/A arm with too few rounds', few],
  ])('concludes nothing from a run with %s, now or then', (_, comparisons) => {
    const doubtful = reading(2, 'b', 1.2, { comparisons });
    expect(verdictsOf(changesSince(doubtful, [reading(1, 'a', 2)]))).toEqual(['no conclusion']);
    expect(verdictsOf(changesSince(reading(3, 'c', 2), [doubtful]))).toEqual(['no conclusion']);
  });
});

describe('of simulated pairs of runs', { timeout: 60_000 }, () => {
  /** Every test compares with the same earlier runs. */
  const earlier = new Map<string, RecordedRun>();
  const earlierRun = (options: Partial<Simulated> & { readonly seed: number }) => {
    const key = JSON.stringify(options);
    const run = earlier.get(key) ?? simulatedRecord(10, options);
    earlier.set(key, run);
    return run;
  };
  const pairs = (n: number, nowMs: number, options: Partial<Simulated> = {}, then: Partial<Simulated> = {}) =>
    Array.from({ length: n }, (_, i) => {
      const before = earlierRun({ seed: 11 * i + 1, ...then });
      return changesSince(simulatedRecord(nowMs, { seed: 11 * i + 5, ...options }), [before])[0].verdict;
    });
  const share = (verdicts: readonly string[], verdict: Change['verdict']) =>
    verdicts.filter((each) => each === verdict).length / verdicts.length;
  const slowingDown = (progress: number) => 2 + progress;

  it.each([{}, { drift: slowingDown }])('at most 3 % of the same code have a verdict: %o', (options) => {
    const verdicts = pairs(100, 10, options);
    expect(share(verdicts, 'faster') + share(verdicts, 'slower')).toBeLessThanOrEqual(0.03);
    expect(share(verdicts, 'no difference shown')).toBeGreaterThanOrEqual(0.9);
  });

  it.each([
    { nowMs: 10 / 1.05, found: 'faster', opposite: 'slower' },
    { nowMs: 10.5, found: 'slower', opposite: 'faster' },
  ] as const)(
    'at least 85 % with launches enough find 5 %, and none the opposite: %o',
    ({ nowMs, found, opposite }) => {
      const many = { launches: 12, rounds: 8, launchEffect: 0.005 };
      const verdicts = pairs(40, nowMs, many, many);
      expect(share(verdicts, found)).toBeGreaterThanOrEqual(0.85);
      expect(share(verdicts, opposite)).toBe(0);
    },
  );

  it('a machine at half its speed moves no verdict', () => {
    const drift = () => 2;
    expect(pairs(40, 10, { drift })).toEqual(pairs(40, 10));
    expect(pairs(40, 9.5, { drift })).toEqual(pairs(40, 9.5));
  });
});

describe('previousSection', () => {
  const run = reading(5, 'e', 1.8);
  const earlier = [reading(1, 'a', 1.2), reading(3, 'c', 1.8)];

  it('compares with the entry before, and with that from before the last change of the code', () => {
    const section = previousSection(run, earlier, history('b'));
    expect(section).toContain(
      '**Since the entry before**, 2026-11-20 03:00:00 (c): of 1 comparisons 0 faster than then',
    );
    expect(section).toContain('The code measured has not changed in between.');
    expect(section).toContain(
      '**Since the newest entry from before the last change of the code measured (b Send less)**, 2026-11-20 01:00:00 (a): ' +
        'of 1 comparisons 1 faster than then',
    );
    expect(section).toContain(
      '| workerd | getValue/sequential | lumenize / capnweb | 1.20 (1.19–1.21) | 1.80 (1.78–1.82) | 1.50 (1.48–1.52) | faster |',
    );
    expect(section.match(/^\| workerd/gm)).toHaveLength(1);
  });

  it('says it once where both are the same entry', () => {
    const section = previousSection(run, earlier, history('d'));
    expect(section).toContain(
      'The newest from before the last change of the code measured (d Send less) is that same entry.',
    );
    expect(section).not.toContain('has not changed');
    expect(section.match(/comparisons 0 faster/g)).toHaveLength(1);
  });

  it('passes over other machines, trees that were dirty, and runs that came later', () => {
    const { environment } = fixedRun();
    const others = [
      reading(1, 'a', 1, { dirty: true }),
      reading(1, 'a', 1, { environment: { ...environment, cores: 8 } }),
      reading(1, 'a', 1, { environment: { ...environment, os: 'Linux 7' } }),
      reading(6, 'a', 1),
    ];
    expect(previousSection(run, others, history('b'))).toBe(
      'No earlier entry of a machine like this one has any of these comparisons.',
    );
  });

  it('says that a run without ratios has none', () => {
    expect(previousSection({ ...run, comparisons: [] }, earlier, history('b'))).toContain('This run has no ratios');
  });

  it.each([
    [{ missing: 'this clone of the repository is shallow' }, 'not known: this clone of the repository is shallow.'],
    [{ lastChange: () => undefined }, 'not known: git does not know e.'],
    [{ isBefore: () => undefined }, 'commits that git does not know are passed over: 2.'],
  ])('says what git cannot tell: %o', (changes, words) => {
    const section = previousSection(run, earlier, history('b', changes));
    expect(section).toContain(words);
    expect(section).toContain('**Since the entry before**');
    expect(section).not.toContain('has not changed');
  });

  it('says so where the change is not committed', () => {
    const section = previousSection({ ...run, dirty: true }, earlier, history('b'));
    expect(section).toContain('not known: it is not committed.');
  });

  it('says which entry each is from where they differ, and what else has changed', () => {
    const { environment } = fixedRun();
    const connect = comparison('connect/first-result', 'capnweb', 1, [0.99, 1.01], 'no difference shown');
    const control = comparison('connect/first-result', 'lumenize', 1, [0.99, 1.01], 'no difference shown');
    const older = reading(1, 'a', 1.2, { environment: { ...environment, capnweb: '0.11.0' } });
    const newer = reading(2, 'c', 1, { comparisons: [control, connect] });
    const both = {
      ...run,
      comparisons: [...run.comparisons, control, { ...connect, ratio: 1.5, ci95: [1.4, 1.6] as const }],
    };
    const section = previousSection(both, [older, newer], history('d'));
    expect(section).toContain('2026-11-20 01:00:00 (a) and 2026-11-20 02:00:00 (c): of 2 comparisons 2 faster');
    expect(section).toContain('| 1.20 (1.19–1.21) at a |');
    expect(section).toContain('| 1.00 (0.99–1.01) at c |');
    expect(section).toContain('Versions have changed too: capnweb 0.11.0 → 0.12.0.');
  });
});
