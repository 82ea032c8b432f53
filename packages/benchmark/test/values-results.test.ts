import { describe, expect, it } from 'vitest';
import type { PayloadPlan, ValuesReport } from '../src/values/plan.ts';
import { CODEC_CONTROL } from '../src/values/profile.ts';
import { gatherCodecResults } from '../src/values/results.ts';

const PLAN: PayloadPlan = {
  scenario: 'tree',
  arms: [
    { id: 'lumenize', subject: 'lumenize' },
    { id: 'JSON', subject: 'JSON' },
    { id: 'structuredClone', subject: 'structuredClone' },
    CODEC_CONTROL,
  ],
  rounds: 1,
  mirrored: false,
};

function report(milliseconds: number, sizes: { bytes?: number; gzip?: number } = {}): ValuesReport {
  const block = (arm: string, samplesMs: ValuesReport['payloads'][number]['blocks'][number]['samplesMs']) => {
    return { scenario: 'tree', arm, round: 0, pass: 0, totalMs: samplesMs.both![0], samplesMs } as const;
  };
  return {
    payloads: [
      {
        payload: 'tree',
        carried: [
          { codec: 'lumenize', ...sizes },
          { codec: 'JSON', cannot: 'refused: a reason' },
          { codec: 'structuredClone' },
        ],
        unsteady: [],
        counts: { lumenize: 10, structuredClone: 2 },
        blocks: [
          block('lumenize', { both: [milliseconds], encode: [milliseconds / 4], decode: [milliseconds / 2] }),
          block('lumenize-again', { both: [100] }),
          block('structuredClone', { both: [0.123456] }),
        ],
      },
    ],
  };
}

describe('gatherCodecResults', () => {
  const results = gatherCodecResults('node', [PLAN], [report(0.001, { bytes: 9, gzip: 5 }), report(0.003)]);

  it('pools the samples of all launches, in µs, and has the sizes of the one that found them out', () => {
    expect(results[0]).toMatchObject({
      family: 'values',
      scenario: 'tree',
      subject: 'lumenize',
      host: 'node',
      unit: 'us',
    });
    expect(results[0]).toMatchObject({ n: 2, mean: 2, min: 1, max: 3, opsPerSecond: 500_000, bytes: 9, gzip: 5 });
    expect(results[0]).toMatchObject({ launches: 2, blocks: 2, operationsPerSample: 10 });
    expect(results[0]).toMatchObject({ encode: { n: 2, mean: 0.5 }, decode: { n: 2, mean: 1 } });
  });

  it('says of a codec that cannot why, and nothing else', () => {
    expect(results[1]).toEqual({
      ...{ family: 'values', scenario: 'tree', subject: 'JSON', host: 'node' },
      cannot: 'refused: a reason',
    });
  });

  it('leaves out halves and sizes where there are none, and digits that say nothing', () => {
    expect(results[2]).toMatchObject({ subject: 'structuredClone', p50: 123.5 });
    for (const absent of ['encode', 'decode', 'bytes']) expect(results[2]).not.toHaveProperty(absent);
  });

  it('has no row for the A/A arm', () => {
    expect(results.map(({ subject }) => subject)).toEqual(['lumenize', 'JSON', 'structuredClone']);
  });
});
