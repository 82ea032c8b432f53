import { describe, expect, it } from 'vitest';
import type { Row } from '../../src/engine/row.ts';
import { barResults } from '../../src/report/bars.ts';
import { barTable, markdownTable } from '../../src/report/tables.ts';
import { comparison } from './fixed-record.ts';

const read = (ratio: number, ci95: readonly [number, number], verdict: 'faster' | 'no conclusion' = 'faster') =>
  barResults({ rows: [], comparisons: [comparison('getValue/sequential', 'capnweb', ratio, ci95, verdict)] });

const figure = (scenario: string, value: number, more: Partial<Row> = {}): Row => ({
  ...{ family: 'size', scenario, subject: 'lumenize', host: 'workerd', unit: 'B', value },
  ...more,
});

describe('bars', () => {
  it.each([
    ['met', 1.3, [1.25, 1.4], 'faster'],
    ['met, but the interval reaches below', 1.3, [1.1, 1.4], 'faster'],
    ['missed', 1.19, [1.1, 1.3], 'faster'],
    ['no conclusion', 2, [1.9, 2.1], 'no conclusion'],
  ] as const)('of ratios are %s', (outcome, ratio, ci95, verdict) => {
    expect(read(ratio, ci95, verdict)).toMatchObject([{ must: '≥ 1.2', outcome }]);
  });

  it('of figures are to be low, in the unit of the bar', () => {
    const rows = [figure('core alone', 17_607), figure('connect and call', 15_000)];
    expect(barResults({ rows, comparisons: [] })).toMatchObject([
      { name: 'gzip of core alone', must: '≤ 9 kB', measured: '17.6 kB', outcome: 'missed' },
      { name: 'gzip of connect and call', aim: '≤ 13.5 kB: not yet', measured: '15 kB', outcome: 'met' },
    ]);
  });

  it('of figures with intervals say where these reach beyond', () => {
    const ratio = (high: number) =>
      figure('connection/hibernating, ratio to raw', 1.05, { unit: 'ratio', ci95: [1, high] });
    const outcomes = [1.08, 1.2].map((high) => barResults({ rows: [ratio(high)], comparisons: [] })[0].outcome);
    expect(outcomes).toEqual(['met', 'met, but the interval reaches below']);
  });

  it('of several codecs are those of the worst', () => {
    const codec = (payload: string, baseline: string, ratio: number) => {
      return { ...comparison(payload, baseline, ratio, [ratio, ratio], 'faster'), host: 'node' } as const;
    };
    const others = [codec('bytes-1KiB', 'cbor-x', 2), codec('bytes-1KiB', 'copy', 0.1)];
    const worst = { outcome: 'met', measured: '0.900: bytes-1KiB against msgpackr' };
    expect(barResults({ rows: [], comparisons: [...others, codec('bytes-1KiB', 'msgpackr', 0.9)] })).toMatchObject([
      { name: 'codec: 1 KiB of bytes, against the fastest other, node', ...worst },
    ]);
  });

  it('that a run has no figures for are left out', () => {
    expect(barResults({ rows: [], comparisons: [] })).toEqual([]);
    expect(barResults({ rows: [figure('connect and call', 1, { value: undefined })], comparisons: [] })).toEqual([]);
  });

  it('are a table of must, aim and what was measured', () => {
    expect(markdownTable(barTable(read(1.3, [1.25, 1.4]))).split('\n')).toEqual([
      '| bar | outcome | must | aim | measured |',
      '| --- | --- | --- | --- | --- |',
      "| getValue/sequential, against Cap'n Web | met | ≥ 1.2 | ≥ 1.2: reached | 1.300 (1.25–1.40) |",
    ]);
  });
});
