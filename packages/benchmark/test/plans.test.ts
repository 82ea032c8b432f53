import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';
import type { BlocksPlace } from '../src/blocks/blocks.ts';
import { gather } from '../src/engine/gather.ts';
import type { Block, Extent, Wanted } from '../src/engine/plan.ts';
import { FAMILIES } from '../src/families/all.ts';
import { changeFamily } from '../src/families/change.ts';
import { COLD } from '../src/families/cold/cold.ts';
import { featureCosts } from '../src/families/feature-cost.ts';
import { scenarioNamed } from '../src/scenarios/all.ts';
import { compare } from '../src/statistics/comparison.ts';
import { measureQuickly } from './support/quickly.ts';

const EXTENTS = ['alone', 'whole'] as const;
const BLOCKS = ['counter', 'pipeline', 'transports', 'events', 'latency', 'links', 'feature-cost'];

function placesOf(name: string, extent: Extent, wanted: Wanted = {}): readonly BlocksPlace[] {
  return FAMILIES.get(name)!.plan(extent, wanted).places as readonly BlocksPlace[];
}

describe.each(BLOCKS)('the plan of %s', (name) => {
  it.each(EXTENTS)('has the A/A arm in every scenario, %s, and enough rounds for a verdict', (extent) => {
    const [{ launches, scenarios }] = placesOf(name, extent);
    expect(launches).toBeGreaterThanOrEqual(3);
    for (const { scenario, arms, rounds } of scenarios.filter((each) => !each.scenario.endsWith('-1000'))) {
      expect(arms.map(({ id }) => id).join(), scenario).toContain('-again');
      if (rounds > 1) expect(launches * rounds, scenario).toBeGreaterThanOrEqual(6);
    }
  });

  it('leaves no scenario out of the quick check', () => {
    const names = (extent: Extent) => placesOf(name, extent)[0].scenarios.map(({ scenario }) => scenario);
    expect(names('quick').toSorted()).toEqual(names('alone').toSorted());
  });
});

describe('plans', () => {
  it('are narrowed to some subjects, to the scenarios that they are in, and to some hosts', () => {
    const [place, ...others] = placesOf('transports', 'alone', {
      ...{ subjects: ['native', 'raw-port'], hosts: ['wrangler-dev'] },
    });
    expect([place.host, others]).toEqual(['wrangler-dev', []]);
    expect(place.scenarios.map(({ scenario }) => scenario.split('/')[0])).toEqual(['call', 'call', 'call']);
    for (const { arms } of place.scenarios) expect(arms.map(({ id }) => id)).toEqual(['raw-port', 'native']);
    const [{ scenarios }] = placesOf('feature-cost', 'alone', { subjects: ['validation'] });
    for (const { arms } of scenarios) expect(arms.map(({ id }) => id)).toEqual(['base', 'validation', 'base-again']);
  });

  it('keep scenarios for one audience together', () => {
    for (const extent of EXTENTS) {
      const [{ scenarios }] = placesOf('events', extent);
      expect(scenarios.every(({ rounds, leading }) => leading! >= rounds)).toBe(true);
      const sizes = scenarios.map(({ scenario }) => scenarioNamed(scenario).audience);
      expect(sizes).toEqual([1, 1, 100, 100, 1000, 1000]);
    }
  });
});

it.each([
  ['memory', 'raw-accept', ['workerd', 'raw-accept']],
  ['start', 'raw-accept', ['raw-accept']],
  ['size', 'capnweb', ['capnweb']],
])(
  'the family %s measures %s alone where nothing else is wanted',
  { timeout: 180_000 },
  async (name, subject, found) => {
    const { rows } = await measureQuickly(FAMILIES.get(name)!, { subjects: [subject] });
    expect(new Set(rows.map((row) => row.subject))).toEqual(new Set(found));
  },
);

it('the family links measures every scenario in ms and in round trips', { timeout: 60_000 }, async () => {
  const { rows, missing } = await measureQuickly(FAMILIES.get('links')!);
  const times = rows.filter(({ unit, value }) => unit === 'ms' && value !== undefined);
  const trips = rows.filter(({ unit }) => unit === 'round trips');
  const called = (row: (typeof rows)[number]) => `${row.scenario.replace('/round-trips', '')} ${row.subject}`;
  expect(trips.map(called)).toEqual(times.map(called));
  for (const { scenario, subject, value, detail } of trips) {
    // A connection takes three: the handshake, the upgrade and the first call, which may go with the upgrade.
    const least = !scenario.startsWith('remote/connect') ? 1 : subject === 'lumenize' ? 2 : 3;
    expect(value).toBeGreaterThanOrEqual(least - 0.1);
    expect(detail).toMatchObject({ rttMs: 1 });
  }
  expect(missing).toEqual(['remote/chain-3 raw']);
});

it('the family change measures the code of an earlier commit beside that of now', { timeout: 60_000 }, async () => {
  const family = changeFamily('HEAD');
  const { rows } = await measureQuickly(family);
  for (const scenario of ['getValue/sequential', 'connect/first-result', 'increment/one-turn-100']) {
    const here = rows.filter((row) => row.scenario === scenario);
    expect(here.map(({ subject }) => subject)).toEqual(expect.arrayContaining([...family.subjects]));
  }
  expect(new Set(rows.map((row) => row.family))).toEqual(new Set(['change']));
});

it('the family cold has every call of a fresh client, and says who cannot be woken', { timeout: 60_000 }, async () => {
  const { rows, missing } = await measureQuickly(COLD);
  const client = rows.filter(({ scenario }) => scenario.startsWith('cold/client/'));
  expect(new Set(client.map(({ subject, value }) => value! > 0 && subject))).toEqual(new Set(COLD.subjects));
  const imported = client.filter(({ scenario }) => scenario.endsWith('/import')).map(({ subject }) => subject);
  expect(imported).toEqual(['lumenize', 'capnweb', 'capnweb-plain', 'floor']);
  const counts = Object.fromEntries(client.map(({ scenario, n }) => [scenario.replace('cold/client/', ''), n]));
  expect(counts).toEqual({
    ...{ 'first-result': 1, 'up-to-read-11': 1, import: 1, 'reads-2-to-11': 10, 'bytes-64KiB': 5 },
    ...{ 'rows-1-to-5': 5, 'rows-6-to-25': 20, 'rows-26-to-225': 200 },
  });
  expect(missing).toEqual(['capnweb', 'capnweb-plain'].map((subject) => `cold/woken/first-result ${subject}`));
});

describe('featureCosts', () => {
  const ONE = 'feature-cost/one-at-a-time';
  const ARMS = { base: 200, 'base-again': 200, authentication: 200.5, validation: 220, all: 300 };

  /** Blocks of a hundred calls whose times in µs are known; of each twenty, one takes three times as long. */
  function costsOf({ launches = 4, samples = 100 } = {}) {
    const random = seededRandom(3);
    const reports = Array.from({ length: launches }, () => ({
      blocks: Array.from({ length: 8 }, (_, i) => i).flatMap((i) =>
        Object.entries(ARMS).map(([arm, us]): Block => {
          const ms = (us / 1000) * (1 + 0.02 * (2 * random() - 1));
          const samplesMs = Array.from({ length: samples }, (__, j) => (j % 20 === 0 ? 3 * ms : ms));
          return { scenario: ONE, arm, round: i >> 1, pass: (i & 1) as 0 | 1, samplesMs, totalMs: 100 * ms };
        }),
      ),
    }));
    const pairs = ['authentication', 'validation', 'all'].map((subject) => ({ subject, baseline: 'base' }));
    const compared = { pairs, control: { id: 'base-again', subject: 'base' } };
    const blocks = reports.map((report) => report.blocks);
    const comparisons = compare('workerd', blocks, [ONE], seededRandom(1), compared);
    const plan = { scenarios: [{ name: ONE, operations: 100 }], compared };
    const rows = gather({ family: 'feature-cost', host: 'workerd', subjects: [], plan, reports, wire: [] });
    return featureCosts({ host: 'workerd', reports, rows, comparisons });
  }

  it('finds what a feature adds, with an interval, and what it adds to the p99', () => {
    const costs = costsOf();
    expect(costs.map(({ subject }) => subject)).toEqual(['authentication', 'validation', 'all']);
    expect(costs[2]).toMatchObject({ scenario: `${ONE}/added`, unit: 'us', value: expect.closeTo(100, -1), n: 16 });
    const [baseUsPerCall, p99Us] = [expect.closeTo(200, -1), expect.closeTo(900, -2)];
    expect(costs[2].detail).toMatchObject({ baseUsPerCall, p99Us, p99Ratio: expect.closeTo(0.667, 1) });
    for (const { subject, value, ci95 } of costs) {
      expect(ci95![0]).toBeLessThanOrEqual(value!);
      expect(ci95![0] < 0 && ci95![1] > 0).toBe(subject === 'authentication');
    }
  });

  it('has no ratio of p99 where a launch has too few samples for one, or there is only one launch', () => {
    for (const costs of [costsOf({ samples: 3 }), costsOf({ launches: 1 })]) {
      for (const cost of costs) expect(cost).not.toHaveProperty('detail.p99Ratio');
    }
  });
});
