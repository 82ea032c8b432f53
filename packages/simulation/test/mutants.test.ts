import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import { MUTANTS } from '../src/mutants/all.ts';
import type { Hunt } from '../src/mutants/child.ts';
import type { Mutant } from '../src/mutants/mutant.ts';
import { printReport } from '../src/mutants/print.ts';
import { runScript } from './run-checks.ts';

const ROOT = new URL('../../../', import.meta.url);
const all = Object.values(MUTANTS).flat();

function sourceOf({ file }: Mutant): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

describe('mutants', () => {
  it('are at least a hundred and fifty, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name } of all) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
  });

  it('are found by what is run: results that are not looked for, a gap that is not there, a stub that is not released', async () => {
    const names = [
      'a-stored-result-is-not-used',
      'subscriptions-begin-at-the-newest',
      'what-is-released-is-not-disposed-of',
    ];
    const hunts = await runScript<Hunt[]>('checks/find-mutants.ts', '1', '60000', ...names);
    expect(hunts.map(({ found }) => found)).toEqual(names.map(() => expect.anything()));
  }, 300_000);

  it('are told apart where they were not found and where there was no time to look for them', () => {
    const print = vi.spyOn(console, 'log').mockReturnValue();
    const mutant: Mutant = { name: 'a-defect', file: '', find: '', replace: '' };
    const results = [0, 7].map((runs) => ({ area: 'delivery', mutant, runs, nextSeed: 1 }));
    const isEnough = printReport({ results, failsAnyway: new Set(), ms: 1000 });
    const text = print.mock.calls.join('\n');
    print.mockRestore();
    expect(isEnough).toBe(false);
    expect(text).toMatch(/a-defect +0 +not looked for: the time was over\n/);
    expect(text).toMatch(/a-defect +7 +not known\n/);
  });

  it.each(all)('$name replaces what occurs once, by what can be parsed', (mutant) => {
    const pieces = sourceOf(mutant).split(mutant.find);
    expect(pieces).toHaveLength(2);
    const mutated = pieces.join(mutant.replace);
    expect(mutated).not.toBe(pieces.join(mutant.find));
    stripTypeScriptTypes(mutated);
  });
});
