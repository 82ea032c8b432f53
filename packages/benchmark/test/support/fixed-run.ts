import type { BlockFindings, TimeResult } from '../../src/blocks/record.ts';
import { blocksEntry } from '../../src/log/blocks-entry.ts';
import type { Told } from '../../src/log/entry.ts';
import type { OfFamily, RecordHead, RunRecord } from '../../src/run-record.ts';
import type { Comparison } from '../../src/statistics/comparison.ts';

/** A run of one family, and what that family found. */
type FixedRun = RecordHead & Pick<RunRecord, 'families' | 'bars'> & OfBlocks;

interface OfBlocks extends BlockFindings {
  readonly launches: readonly OfFamily<BlockFindings['launches'][number]>[];
  readonly comparisons: readonly OfFamily<Comparison>[];
}

/** A small run with known figures: Lumenize wins one scenario, loses one and is undecided in one. */
export function fixedRun(changes: Partial<FixedRun> = {}): FixedRun {
  return {
    schema: 1,
    takenAt: '2026-11-20T18:51:07.123Z',
    commit: 'abc1234',
    dirty: false,
    profile: 'short',
    seed: 1,
    durationMs: 95_400,
    environment: {
      cpu: 'A processor',
      cores: 2,
      os: 'Linux 6.18',
      loadBefore: 0.05,
      node: '24.21.0',
      workerd: '1.20261102.1',
      wrangler: '4.156.2',
      capnweb: '0.12.0',
    },
    bars: [],
    families: [{ name: 'counter', durationMs: 95_000, configuration: ['Counter operations'] }],
    launches: [0, 1, 2].map(() => ({
      family: 'counter',
      host: 'workerd',
      startMs: 150,
      measuredMs: 9000,
      warmUps: [{ arm: 'lumenize', blocks: 8, ms: 900, steady: true }],
      client: { utilization: 0.25, delayP99Ms: 1.25, delayMaxMs: 7.5 },
    })),
    results: [
      result('increment/sequential', 'lumenize', 26.75),
      result('increment/sequential', 'capnweb', 17.65),
      result('getValue/sequential', 'lumenize', 12.5),
      result('getValue/sequential', 'capnweb', 15),
      size('lumenize', 7900),
      size('capnweb', 15_027),
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
  };
}

/** The same run with what its family says of it. */
export function fixedTold(changes?: Partial<FixedRun>): Told {
  const run = fixedRun(changes);
  const entry = blocksEntry(run, ['Counter operations']);
  return { record: { ...run, bars: entry.bars }, parts: [{ family: 'counter', entry }] };
}

export function comparison(
  scenario: string,
  baseline: string,
  ratio: number,
  ci95: readonly [number, number],
  verdict: Comparison['verdict'],
): OfFamily<Comparison> {
  return {
    family: 'counter',
    scenario,
    host: 'workerd',
    subject: 'lumenize',
    baseline,
    ratio,
    ci95,
    verdict,
    launches: 3,
    rounds: 12,
  };
}

function result(scenario: string, subject: string, blockMedianMs: number): TimeResult {
  const mean = blockMedianMs / 100;
  const times = { mean, p50: mean, p75: mean, p95: mean, p99: mean, stddev: 0.01, min: mean / 2, max: 2 * mean };
  const wire = subject === 'lumenize' ? [1, 1, 15, 5] : [3, 1, 67, 17];
  const [framesUp, framesDown, bytesUp, bytesDown] = wire;
  return {
    ...{ family: 'counter', scenario, subject, host: 'workerd', unit: 'ms', sample: 'call', n: 1200, ...times },
    ...{
      opsPerSecond: 1000 / mean,
      launches: 3,
      blocks: 12,
      blockOperations: 100,
      blockMedianMs,
      blockVariation: 0.08,
    },
    ...{ framesUp, framesDown, bytesUp, bytesDown, samples: '' },
  };
}

function size(subject: string, gzip: number): BlockFindings['results'][number] {
  const bytes = { minified: 3 * gzip, gzip, brotli: gzip - 800 };
  return { family: 'size', scenario: 'client-bundle', subject, host: 'browser', unit: 'B', ...bytes };
}
