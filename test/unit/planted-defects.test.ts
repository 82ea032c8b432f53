import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFECTS } from '../planted/defects.ts';
import { rowStart, withRow } from '../planted/table.ts';
import { projectFolder } from '../support/serve-counter.ts';

test.each(DEFECTS)('the defect $name replaces what occurs once in $file', ({ file, find, replace }) => {
  const pieces = readFileSync(join(projectFolder, file), 'utf8').split(find);
  expect(pieces).toHaveLength(2);
  expect(replace).not.toBe(find);
});

test('the row of a defect goes to its place in the table of defects, and to no other table', () => {
  const defects = ['a', 'b', 'c'].map((name) => ({ area: 'codec' as const, name: `a-defect-${name}` }));
  const rows = defects.map((defect) => `${rowStart(defect)}\`x.test.ts\`: x | 3 |`);
  const table = (...own: string[]) =>
    `| part |\n| --- |\n| disk |\n\n| area | defect | found by | seconds |\n| --- | --- | --- | --- |\n${own.map((each) => `${each}\n`).join('')}\nThe end.\n`;
  const page = table(rows[0], '| codec | gone since | - | 1 |', rows[2]);
  expect(withRow(page, defects, defects[1], rows[1])).toBe(table(...rows));
  expect(() => withRow('| part |', defects, defects[1], rows[1])).toThrow('there is no table of defects');
});

test('every defect that has been planted is in the list', () => {
  const page = readFileSync(join(projectFolder, 'docs/internals/chaos.md'), 'utf8');
  const [, table] = page.split('| area | defect | found by | seconds |\n');
  const planted = table.split('\n').filter((line) => /^\| \w/.test(line));
  expect(planted.length).toBeGreaterThan(5);
  expect(planted.filter((line) => !DEFECTS.some((each) => line.startsWith(rowStart(each))))).toEqual([]);
});
