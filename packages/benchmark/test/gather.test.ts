import { describe, expect, it } from 'vitest';
import { type Gathered, gather } from '../src/engine/gather.ts';
import type { Block, Report } from '../src/engine/plan.ts';
import { COMPARED } from '../src/subjects/arms.ts';

const SCENARIO = 'increment/one-turn-100';
const WIRE = { scenario: SCENARIO, arm: 'lumenize', framesUp: 1, framesDown: 1, bytesUp: 412, bytesDown: 340 };

const block = (arm: string, totalMs: number, samplesMs?: number[]): Block => ({
  ...{ scenario: SCENARIO, arm, round: 0, pass: 0, totalMs },
  ...(samplesMs && { samplesMs }),
});

const rowsOf = (reports: readonly Report[], wire: Gathered['wire'] = []) =>
  gather({
    ...({ family: 'counter', host: 'workerd', subjects: ['lumenize', 'capnweb'], reports, wire } as const),
    plan: { scenarios: [{ name: SCENARIO, sample: 'turn', operations: 100 }], compared: COMPARED },
  });

describe('rows of times', () => {
  const blocks = [block('lumenize', 4, [1, 3]), block('lumenize-again', 4, [2, 2]), block('capnweb', 40, [20, 20])];
  const rows = rowsOf([{ blocks }, { blocks: [block('lumenize', 6, [2, 4])] }], [WIRE]);

  it('pool the samples of all launches and count operations, not samples, per second', () => {
    expect(rows[0]).toMatchObject({
      ...{ family: 'counter', scenario: SCENARIO, subject: 'lumenize', host: 'workerd', unit: 'ms' },
      ...{ value: 2.5, n: 4, sample: 'turn', summary: { n: 4, mean: 2.5, min: 1, max: 4 } },
      // A block of it is a hundred calls, here in 5 ms on average.
      detail: { opsPerSecond: 20_000, launches: 2, blocks: 2, blockOperations: 100, blockMedianMs: 5, bytesUp: 412 },
    });
  });

  it('have no frames where they were not counted, and leave the A/A arm out', () => {
    expect(rows.map(({ subject, detail }) => [subject, detail?.launches, detail?.framesUp])).toEqual([
      ['lumenize', 2, 1],
      ['capnweb', 1, undefined],
    ]);
  });

  it('have a p99.9 from 100,000 samples up, which all launches count towards', () => {
    const ones = (count: number) => ({ blocks: [block('lumenize', 4, new Array<number>(count).fill(1))] });
    expect(rowsOf([ones(50_000), ones(50_000)])[0].summary).toHaveProperty('p999', 1);
    expect(rowsOf([ones(50_000), ones(49_999)])[0].summary).not.toHaveProperty('p999');
  });

  it('are none of blocks that are only compared', () => {
    expect(rowsOf([{ blocks: [block('lumenize', 4)] }])).toEqual([]);
  });
});

describe('what a subject cannot do', () => {
  const cannot = [{ scenario: SCENARIO, arm: 'capnweb', reason: 'it has no such thing' }];

  it('has a row that says why', () => {
    const rows = rowsOf([{ blocks: [block('lumenize', 4, [1, 3])], cannot }]);
    expect(rows[1]).toMatchObject({ subject: 'capnweb', cannot: 'it has no such thing' });
    expect(rows[1]).not.toHaveProperty('value');
  });

  it('is said with how many blocks did not end of one that mostly can', () => {
    const [row] = rowsOf([{ blocks: [block('capnweb', 4, [1, 3])], cannot }]);
    expect(row).toMatchObject({ n: 2, cannot: '1 of 2 blocks: it has no such thing' });
  });
});

it('rows of figures are the mean of readings with its interval, of ratios the geometric one, and the means of their details', () => {
  const read = { scenario: 'size', arm: 'lumenize', unit: 'B' } as const;
  const first = { ...read, value: 10, detail: { calls: 1 } };
  const second = { ...read, value: 14, detail: { calls: 3, more: 5 } };
  const [row] = rowsOf([{ figures: [first] }, { figures: [second] }]);
  expect(row).toMatchObject({ scenario: 'size', unit: 'B', value: 12, n: 2, detail: { calls: 2, more: 5 } });
  expect(row.ci95![0]).toBeLessThan(10);
  const ratios = [1, 4].map((value) => ({ figures: [{ ...read, unit: 'ratio', value }] }));
  expect(rowsOf(ratios)[0]).toMatchObject({ unit: 'ratio', value: expect.closeTo(2), n: 2 });
});
