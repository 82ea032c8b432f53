import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import type { BlockFindings, UnavailableResult } from '../src/blocks/record.ts';
import { FEATURE_CONTROL, FEATURE_PAIRS } from '../src/features/arms.ts';
import { featureCosts } from '../src/features/costs.ts';
import { featureEntry } from '../src/features/entry.ts';
import { FEATURES } from '../src/features/feature.ts';
import { featureProfile } from '../src/features/profile.ts';
import type { Block } from '../src/load/plan.ts';
import { FEATURE_SCENARIOS } from '../src/scenarios/all.ts';
import { compare } from '../src/statistics/comparison.ts';

const ONE = 'feature-cost/one-at-a-time';
const TURN = 'feature-cost/one-turn-100';
const CONTEXT = { extent: 'alone', seed: 1, progress: { start() {}, update() {}, stop() {} } } as const;

/** Blocks of a hundred calls whose times in µs are known; of each twenty, one takes `tail` times as long. */
function launchesOf(usPerCall: Record<string, number>, { launches = 4, rounds = 4, tail = 3, noise = 0.02 } = {}) {
  const random = seededRandom(3);
  return Array.from({ length: launches }, (): Block[] =>
    Array.from({ length: rounds }, (_, round) => round).flatMap((round) =>
      ([0, 1] as const).flatMap((pass) =>
        Object.entries(usPerCall).map(([arm, us]) => {
          const ms = (us / 1000) * (1 + noise * (2 * random() - 1));
          const samplesMs = Array.from({ length: 100 }, (__, i) => (i % 20 === 0 ? tail * ms : ms));
          return { scenario: ONE, arm, round, pass, samplesMs, totalMs: 100 * ms };
        }),
      ),
    ),
  );
}

function findingsOf(launches: readonly (readonly Block[])[]): BlockFindings {
  const compared = { pairs: FEATURE_PAIRS, control: FEATURE_CONTROL };
  const comparisons = compare('workerd', launches, [ONE], seededRandom(1), compared);
  const unavailable: UnavailableResult = {
    ...{ family: 'feature-cost', scenario: ONE, subject: 'tracing', host: 'workerd', unavailable: 'there is no hook' },
  };
  const results = [...featureCosts('workerd', launches, comparisons, seededRandom(2)), unavailable];
  return { launches: [], results, comparisons };
}

const ARMS = { base: 200, 'base-again': 200, authentication: 200.5, validation: 220, all: 300 };

describe('featureCosts', () => {
  it('finds what a feature adds, and what it adds to the p99', () => {
    const { results } = findingsOf(launchesOf(ARMS));
    const cost = (subject: string) => results.find((each) => each.subject === subject);
    expect(cost('all')).toMatchObject({
      ...{ scenario: `${ONE}/added`, host: 'workerd', unit: 'us', value: expect.closeTo(100, -1), n: 16 },
      detail: {
        usPerCall: expect.closeTo(300, -1),
        baseUsPerCall: expect.closeTo(200, -1),
        p99Us: expect.closeTo(900, -2),
        baseP99Us: expect.closeTo(600, -2),
        p99Ratio: expect.closeTo(0.667, 1),
      },
    });
    expect(cost('validation')).toMatchObject({ value: expect.closeTo(20, -1) });
    expect(cost('base')).toBeUndefined();
    expect(cost('base-again')).toBeUndefined();
  });

  it('gives each an interval around it, which includes 0 where nothing is added', () => {
    for (const result of findingsOf(launchesOf(ARMS)).results) {
      if (!('value' in result)) continue;
      const [low, high] = result.ci95!;
      expect(low).toBeLessThanOrEqual(result.value);
      expect(high).toBeGreaterThanOrEqual(result.value);
      expect(low < 0 && high > 0).toBe(result.subject === 'authentication');
    }
  });

  it('has no ratio of p99 where a launch has too few samples for one, or there is only one launch', () => {
    const few = launchesOf(ARMS).map((blocks) =>
      blocks.map((each) => ({ ...each, samplesMs: each.samplesMs.slice(0, 3) })),
    );
    const one = launchesOf(ARMS, { launches: 1 });
    for (const { results } of [findingsOf(few), findingsOf(one)]) {
      for (const result of results) expect(result).not.toHaveProperty('detail.p99Ratio');
    }
    expect(findingsOf(one).results[0]).toHaveProperty('detail.p99Us');
  });
});

describe('featureEntry', () => {
  it('has a row for each feature that was measured, and says why one was not', () => {
    const { comparison, analysis } = featureEntry(findingsOf(launchesOf(ARMS)));
    const rows = comparison.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.map((line) => line.split(' | ')[0].slice(2))).toEqual([
      ...['feature', '---', 'nothing beside calling', 'authentication', 'validation', 'tracing', 'all'],
    ]);
    expect(rows.find((line) => line.startsWith('| all'))).toMatch(
      /^\| all \| \+\d+(\.\d)? \(\+.+ to \+.+\) \| 0\.6\d \(0\.6\d–0\.6\d\) slower \| \d+ \| 0\.6\d \(0\.6\d–0\.6\d\) \|$/,
    );
    expect(rows.find((line) => line.startsWith('| tracing'))).toContain('not available');
    expect(analysis).toContain('What tracing costs is not measured: there is no hook.');
    expect(analysis.join()).toMatch(
      /slower with validation \(\+.+ µs, .+ to .+\) and all \(.+\); no difference shown with authentication/,
    );
  });

  it('draws no conclusion where base differs from itself, or from too few launches', () => {
    const broken = featureEntry(findingsOf(launchesOf({ ...ARMS, 'base-again': 260 })));
    expect(broken.analysis.join()).toContain('"differs" from itself');
    const few = featureEntry(findingsOf(launchesOf(ARMS, { launches: 2 })));
    for (const { analysis, comparison } of [broken, few]) {
      expect(analysis.join()).toContain('no conclusion with authentication, validation and all');
      expect(comparison).not.toMatch(/\) slower/);
    }
  });
});

describe('featureProfile', () => {
  it('has every feature and the A/A arm in both scenarios, in rounds of pairs', () => {
    const { hosts, compared } = featureProfile(CONTEXT);
    expect(hosts.map(({ host }) => host)).toEqual(['workerd']);
    expect(hosts[0].scenarios.map(({ scenario }) => scenario)).toEqual([ONE, TURN]);
    for (const { arms, mirrored } of hosts[0].scenarios) {
      expect(arms.map(({ id }) => id)).toEqual([...FEATURES, 'base-again']);
      expect(mirrored).toBe(true);
    }
    expect(compared?.pairs.map(({ subject }) => subject)).toEqual(FEATURES.filter((each) => each !== 'base'));
  });

  it('keeps what a wanted feature is compared with, and names what there is', () => {
    const [{ scenarios }] = featureProfile({ ...CONTEXT, subjects: ['validation'], hosts: ['wrangler-dev'] }).hosts;
    for (const { arms } of scenarios) expect(arms.map(({ id }) => id)).toEqual(['base', 'validation', 'base-again']);
    expect(() => featureProfile({ ...CONTEXT, subjects: ['speed'] })).toThrow('called speed; there are base, auth');
    expect(() => featureProfile({ ...CONTEXT, hosts: ['node'] })).toThrow('no host is called node');
  });

  it('has a block of every scenario with every feature in the quick check', () => {
    const [{ scenarios, launches }] = featureProfile({ ...CONTEXT, extent: 'quick' }).hosts;
    expect(launches).toBe(1);
    expect(scenarios).toEqual(
      FEATURE_SCENARIOS.map(({ name }) => expect.objectContaining({ scenario: name, rounds: 1, mirrored: false })),
    );
    for (const { arms } of scenarios) expect(arms.map(({ id }) => id)).toEqual(FEATURES);
  });
});
