import { describe, expect, it } from 'vitest';
import { CONTROL, MAIN_ARMS } from '../src/blocks/arms.ts';
import type { TimeResult } from '../src/blocks/record.ts';
import { gatherResults } from '../src/blocks/results.ts';
import type { Block, LaunchReport } from '../src/load/plan.ts';

const SCENARIO = 'increment/one-turn-100';
const PLAN = { scenario: SCENARIO, arms: [...MAIN_ARMS, CONTROL], rounds: 1, mirrored: true };
const WIRE = { scenario: SCENARIO, arm: 'lumenize', framesUp: 1, framesDown: 1, bytesUp: 412, bytesDown: 340 };

function report(blocks: readonly Block[]): LaunchReport {
  return { blocks, unavailable: [], warmUps: [], wire: [], client: { utilization: 0, delayP99Ms: 0, delayMaxMs: 0 } };
}

const block = (arm: string, totalMs: number, samplesMs: number[]): Block => {
  return { scenario: SCENARIO, arm, round: 0, pass: 0, totalMs, samplesMs };
};

describe('gatherResults', () => {
  const rows = gatherResults(
    'workerd',
    [PLAN],
    [
      report([block('lumenize', 4, [1, 3]), block('lumenize-again', 4, [2, 2]), block('capnweb', 40, [20, 20])]),
      report([block('lumenize', 6, [2, 4])]),
    ],
    [WIRE],
  ) as TimeResult[];

  it('pools the samples of all launches and counts operations, not samples, per second', () => {
    const [lumenize] = rows;
    expect(lumenize).toMatchObject({ subject: 'lumenize', n: 4, mean: 2.5, min: 1, max: 4, launches: 2, blocks: 2 });
    // A block of it is a hundred calls, here in 5 ms on average.
    expect(lumenize.opsPerSecond).toBeCloseTo(20_000);
    expect(lumenize).toMatchObject({ blockOperations: 100, blockMedianMs: 5, framesUp: 1, bytesUp: 412 });
  });

  it('has a p99.9 from 100,000 samples up, which all launches count towards', () => {
    const half = block('lumenize', 4, new Array<number>(50_000).fill(1));
    const less = block('lumenize', 4, new Array<number>(49_999).fill(1));
    expect(gatherResults('workerd', [PLAN], [report([half]), report([half])], [])[0]).toHaveProperty('p999', 1);
    expect(gatherResults('workerd', [PLAN], [report([half]), report([less])], [])[0]).not.toHaveProperty('p999');
  });

  it('leaves frames and bytes out where they were not counted', () => {
    expect(rows[1]).not.toHaveProperty('framesUp');
  });

  it('has a row that says why where a subject cannot do it', () => {
    const unavailable = [{ scenario: SCENARIO, arm: 'capnweb', reason: 'it has no such thing' }];
    const rows = gatherResults('workerd', [PLAN], [{ ...report([block('lumenize', 4, [1, 3])]), unavailable }], []);
    expect(rows[1]).toEqual({
      family: 'burst',
      scenario: SCENARIO,
      subject: 'capnweb',
      host: 'workerd',
      unavailable: 'it has no such thing',
    });
  });

  it('says how many blocks did not end of one that mostly can', () => {
    const unavailable = [{ scenario: SCENARIO, arm: 'lumenize', reason: 'no end' }];
    const rows = gatherResults('workerd', [PLAN], [{ ...report([block('lumenize', 4, [1, 3])]), unavailable }], []);
    expect(rows).toMatchObject([{ n: 2 }, { subject: 'lumenize', unavailable: '1 of 2 blocks: no end' }]);
  });

  it('counts only the launches that a subject took part in, and has no row for one that never did', () => {
    expect(rows.map(({ subject, launches }) => [subject, launches])).toEqual([
      ['lumenize', 2],
      ['capnweb', 1],
    ]);
  });
});
