import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../../tools/commands/run-tool.ts';
import { TOOLS } from '../../../tools/commands/tools.ts';
import { documentOf } from '../../../tools/type-table/document.ts';
import { outcomeOf, type TriedGroup, type TriedRow, tryAll } from '../../../tools/type-table/try-out.ts';
import { projectFolder } from '../../support/serve-counter.ts';

describe('docs/values.md', () => {
  it('says what becomes of values now; npm run tool -- types-table writes it', async () => {
    const args = argumentsOf(TOOLS.find(({ name }) => name === 'types-table')!, ['--print']);
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectFolder });
    expect(readFileSync(join(projectFolder, 'docs/values.md'), 'utf8')).toBe(stdout);
  });
});

describe('the table of types', () => {
  let groups: TriedGroup[];
  beforeAll(async () => {
    groups = await tryAll();
  });

  /** Rows of an intent in which one of lumenize's forms has done something of a kind, with what it has done. */
  function rowsWhere(intent: TriedRow['intent'], kinds: readonly string[]): string[] {
    return groups
      .flatMap(({ rows }) => rows)
      .filter((row) => row.intent === intent)
      .flatMap(({ name, cells }) =>
        cells
          .filter(({ column }) => column.startsWith('lumenize'))
          .filter(({ outcomes }) => outcomes.some(({ outcome }) => kinds.includes(outcome.kind)))
          .map(({ column }) => `${name} (${column})`),
      );
  }

  it('has nothing by value that lumenize loses without a word', () => {
    expect(rowsWhere('by value', ['lost', 'not read back'])).toEqual([]);
  });

  it('has nothing to be refused that lumenize does not refuse', () => {
    expect(rowsWhere('refused', ['yes', 'lost', 'not read back'])).toEqual([]);
  });

  it('names a type once, and finds every codec at fault somewhere and right somewhere', () => {
    const rows = groups.flatMap((group) => group.rows);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    for (const [i, { column }] of rows[0].cells.entries()) {
      const kinds = new Set(rows.flatMap(({ cells }) => cells[i].outcomes.map(({ outcome }) => outcome.kind)));
      expect(kinds.has('yes'), column).toBe(true);
      if (!column.startsWith('lumenize')) expect(kinds.has('lost'), column).toBe(true);
    }
  });
});

describe('outcomeOf', () => {
  const sample = { make: () => new Map() };
  const column = (encode: (value: unknown) => unknown, decode: (encoded: unknown) => unknown, oneStep?: boolean) => {
    return { heading: 'a codec', encode, decode, oneStep };
  };
  const same = (value: unknown) => value;
  const fail = () => {
    throw new Error('no');
  };

  it.each([
    ['yes', column(same, same)],
    ['lost', column(same, () => ({}))],
    ['refused', column(fail, same)],
    ['not read back', column(same, fail)],
    ['refused', column(same, fail, true)],
  ])('tells: %s', async (kind, each) => {
    expect((await outcomeOf(each, sample)).kind).toBe(kind);
  });

  it('uses what a codec was told of classes only where a sample asks for it', async () => {
    const told = { ...column(fail, fail), registered: { encode: same, decode: same } };
    expect((await outcomeOf(told, sample)).kind).toBe('refused');
    expect((await outcomeOf(told, { ...sample, registered: true })).kind).toBe('yes');
  });
});

describe('documentOf', () => {
  const cell = (...outcomes: TriedRow['cells'][number]['outcomes']) => ({ column: 'a codec', outcomes });
  const lost = (path: string, actual: string) =>
    ({ kind: 'lost', difference: { path, expected: 'there', actual } }) as const;
  const row = (cells: TriedRow['cells'], why?: string): TriedRow => {
    return { name: 'a row', intent: 'by value', samples: [], why, cells };
  };
  const written = (...rows: TriedRow[]) => documentOf([{ heading: 'A group', rows }]);

  it('shows the worst of several samples, and of which', () => {
    const cells = [
      cell({ label: 'one', outcome: { kind: 'yes' } }, { label: 'two', outcome: { kind: 'refused' } }),
      cell({ label: 'one', outcome: { kind: 'refused' } }, { label: 'two', outcome: lost('$', '{}') }),
      cell({ label: 'one', outcome: lost('$', '{"a|b":1}') }, { label: 'two', outcome: lost('$', '{}') }),
      cell({ label: undefined, outcome: lost('$.a', 'missing') }),
    ];
    expect(written(row(cells))).toContain(
      '| a row | no: refused (two) | **lost** (two): `{}` | **lost**: `{"a\\|b":1}` | **lost**: `$.a`: missing |',
    );
  });

  it('says below why something is done on purpose', () => {
    const document = written(row([cell({ label: undefined, outcome: { kind: 'yes' } })], 'it has a reason'));
    expect(document).toContain('| a row¹ | yes |');
    expect(document).toContain('¹ On purpose: it has a reason.');
  });
});
