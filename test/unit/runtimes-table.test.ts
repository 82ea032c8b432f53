import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CASES } from '../contract/cases/all.ts';
import { surprises, whyItFails } from '../runtimes/known.ts';
import { RUNTIMES, type RuntimeResult } from '../runtimes/runtimes.ts';
import { runtimesTable } from '../runtimes/table.ts';
import { projectFolder } from '../support/serve-counter.ts';

const STACKS = { part: 'errors', case: 'show in their stack where the call was made' };

describe('docs/internals/runtimes.md', () => {
  const text = readFileSync(join(projectFolder, 'docs/internals/runtimes.md'), 'utf8');
  const rows = [...text.matchAll(/^\| ([\w ]+) \| \d[\d.]+ \| (\d+) \| (\d+) \| (\d+) \|$/gm)];

  test('has every runtime, with all cases that there are: npm run tool -- runtimes writes it', () => {
    expect(rows.map(([, name]) => name)).toEqual(RUNTIMES.map(({ name }) => name));
    for (const [, name, ...counts] of rows) {
      expect(
        counts.reduce((sum, count) => sum + Number(count), 0),
        name,
      ).toBe(CASES.length);
    }
  });
});

describe('a case that is known not to hold', () => {
  test('is one that there is', () => {
    expect(CASES.some(({ part, name }) => part === STACKS.part && name === STACKS.case)).toBe(true);
    expect(whyItFails('Firefox', STACKS)).toMatch('V8');
    expect(whyItFails('Deno', STACKS)).toBe(undefined);
  });

  test('is a surprise where it holds, and one that is not known where it fails', () => {
    const holds: RuntimeResult = { ...STACKS, status: 'holds' };
    const fails: RuntimeResult = { ...STACKS, status: 'fails', reason: 'Error: it\n at a place' };
    expect(surprises('Firefox', [fails])).toEqual([]);
    expect(surprises('Firefox', [holds])).toEqual([holds]);
    expect(surprises('Deno', [holds])).toEqual([]);
    expect(surprises('Deno', [fails])).toEqual([fails]);
    expect(runtimesTable([{ name: 'Deno', version: '2', results: [fails] }])).toContain('| Deno | Error: it |');
  });
});
