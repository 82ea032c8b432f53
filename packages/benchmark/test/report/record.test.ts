import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completed, fromColumns, readRecorded, toColumns } from '../../src/report/record.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { comparison, fixedRecord, manyRows, reading } from './fixed-record.ts';

describe('a record', () => {
  it('has figures with four significant digits and whole large ones; text and counts as they are', () => {
    const { bars, ...record } = fixedRecord();
    const [row] = record.rows;
    const rows = [{ ...row, value: 0.123456, n: 1_234_567, ci95: [12_345.6, 123.456] as const }];
    const rounded = completed({ ...record, rows, commit: '1.234567' });
    expect(rounded.rows[0]).toMatchObject({ value: 0.1235, n: 1_234_567, ci95: [12_346, 123.5], samples: row.samples });
    expect(rounded.commit).toBe('1.234567');
    expect(JSON.parse(JSON.stringify(rounded))).toEqual(rounded);
    expect(bars.length).toBeGreaterThan(0);
  });

  it('has its bars from rounded figures', () => {
    const { bars: _, ...record } = fixedRecord();
    const close = comparison('getValue/sequential', 'capnweb', 1.19999, [1.1, 1.3], 'faster');
    expect(completed({ ...record, comparisons: [close] }).bars[0].outcome).toMatch(/^met/);
  });
});

describe('the files of measurements/', () => {
  it('have lists in columns, in less than half of the bytes, and are read as what was written', () => {
    const run = manyRows('full', 100);
    const objects = [{ a: 'x', b: { c: 1 } }, { a: 'x' }, { a: 'y' }, { a: 'y', list: [1, 2, 3, 4] }, { d: 5 }];
    for (const value of [run, objects, reading(1, 'older', 1)])
      expect(fromColumns(JSON.parse(JSON.stringify(toColumns(value))))).toEqual(value);
    expect(JSON.stringify(toColumns(run)).length).toBeLessThan(JSON.stringify(run).length / 2);
  });

  it('have the distributions that are drawn, of a whole run no others', () => {
    const { bars: _, ...run } = fixedRecord();
    const rows = run.rows.map((row) => ({ ...row, samples: 'H', host: 'wrangler-dev' as const }));
    const kept = (profile: string) =>
      completed({ ...run, profile, rows: [run.rows[0], ...rows] }).rows.filter(({ samples }) => samples);
    expect(kept('full')).toEqual([run.rows[0]]);
    expect(kept('short')).toHaveLength(rows.length + 1);
  });

  it('are read oldest first; nothing else is, nor those without rows', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'a.json'), JSON.stringify(reading(3, 'newer', 1)));
    writeFileSync(join(directory, 'b.json'), JSON.stringify(reading(1, 'older', 1)));
    writeFileSync(join(directory, 'c.json'), JSON.stringify({ ...reading(2, 'old', 1), schema: 1 }));
    writeFileSync(join(directory, 'notes.txt'), 'no run');
    expect(readRecorded(directory).map(({ commit }) => commit)).toEqual(['older', 'newer']);
    expect(readRecorded(join(directory, 'missing'))).toEqual([]);
  });
});
