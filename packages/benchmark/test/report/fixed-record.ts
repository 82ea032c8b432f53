import type { RecordedComparison, RunRecord } from '../../src/engine/record.ts';
import type { Row } from '../../src/engine/row.ts';
import { completed } from '../../src/report/record.ts';
import { encodeSamples } from '../../src/statistics/summary.ts';

/** A small run with known figures: Lumenize wins one scenario, loses one and is undecided in one. */
export function fixedRecord(changes: Partial<Omit<RunRecord, 'bars'>> = {}): RunRecord {
  return completed({
    ...{ schema: 2, takenAt: '2026-11-20T18:51:07.123Z', commit: 'abc1234', dirty: false, profile: 'short', seed: 1 },
    durationMs: 95_400,
    environment: {
      ...{ cpu: 'A processor', cores: 2, os: 'Linux 6.18', loadBefore: 0.05 },
      ...{ node: '24.21.0', workerd: '1.20261102.1', wrangler: '4.156.2', capnweb: '0.12.0' },
    },
    families: [{ name: 'counter', durationMs: 95_000, configuration: ['Counter operations', 'A second line'] }],
    launches: [0, 1, 2].map(() => ({
      ...{ family: 'counter', host: 'workerd' },
      warmUps: [{ arm: 'lumenize', blocks: 8, ms: 900, steady: true }],
      health: { utilization: 0.25, delayP99Ms: 1.25, delayMaxMs: 7.5 },
    })),
    rows: [
      row('increment/sequential', 'lumenize', 26.75),
      row('increment/sequential', 'capnweb', 17.65),
      row('getValue/sequential', 'lumenize', 12.5),
      row('getValue/sequential', 'capnweb', 15),
      { family: 'size', scenario: 'connect and call', subject: 'lumenize', host: 'node', unit: 'B', value: 27_607 },
    ],
    comparisons: [
      comparison('increment/sequential', 'lumenize', 1.01, [0.97, 1.04], 'no difference shown'),
      comparison('increment/sequential', 'capnweb', 0.66, [0.6, 0.7], 'slower'),
      comparison('getValue/sequential', 'lumenize', 1, [0.96, 1.04], 'no difference shown'),
      comparison('getValue/sequential', 'capnweb', 1.2, [1.15, 1.25], 'faster'),
      comparison('getValue/sequential', 'raw', 0.9, [0.85, 0.95], 'slower'),
      comparison('connect/first-result', 'capnweb', 1.02, [0.95, 1.1], 'no difference shown'),
    ],
    ...changes,
  });
}

/** A run of two families that has more scenarios than an entry has room for. */
export function manyRows(profile: string, scenarios: number): RunRecord {
  const { rows, comparisons } = fixedRecord();
  const times = <Item extends { scenario: string }>(items: readonly Item[]) =>
    Array.from({ length: scenarios }, (_, i) => items.map((each) => ({ ...each, scenario: `${each.scenario}/${i}` })));
  return fixedRecord({
    profile,
    rows: [...rows, ...times(rows).flat()],
    comparisons: [...comparisons, ...times(comparisons).flat()],
  });
}

export function comparison(
  scenario: string,
  baseline: string,
  ratio: number,
  ci95: readonly [number, number],
  verdict: RecordedComparison['verdict'],
): RecordedComparison {
  const of = { family: 'counter', scenario, host: 'workerd', subject: 'lumenize', baseline } as const;
  return { ...of, ratio, ci95, verdict, launches: 3, rounds: 12 };
}

/** A run on the n-th hour of a day, of a commit, that read at this ratio to Cap'n Web, exact to 1 %. */
export function reading(hour: number, commit: string, ratio: number, changes: Partial<RunRecord> = {}): RunRecord {
  return {
    ...fixedRecord(),
    takenAt: new Date(Date.UTC(2026, 10, 20, hour)).toISOString(),
    commit,
    comparisons: [
      comparison('getValue/sequential', 'lumenize', 1, [0.99, 1.01], 'no difference shown'),
      comparison('getValue/sequential', 'capnweb', ratio, [ratio / 1.01, ratio * 1.01], 'faster'),
    ],
    ...changes,
  };
}

function row(scenario: string, subject: string, blockMedianMs: number): Row {
  const value = blockMedianMs / 100;
  const [framesUp, framesDown, bytesUp, bytesDown] = subject === 'lumenize' ? [1, 1, 15.3, 5] : [3, 1, 67, 17];
  return {
    ...{ family: 'counter', scenario, subject, host: 'workerd', unit: 'ms', value, n: 1200, sample: 'call' },
    summary: {
      ...{ n: 1200, mean: value, p50: value, p75: value, p95: value, p99: value },
      ...{ stddev: 0.01, min: value / 2, max: 2 * value },
    },
    detail: { blockMedianMs, blockOperations: 100, blockVariation: 0.08, framesUp, framesDown, bytesUp, bytesDown },
    samples: encodeSamples(Array.from({ length: 1200 }, (_, i) => value + i / 1e5)),
  };
}
