import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../src/mutants/all.ts';
import type { Mutant } from '../src/mutants/mutant.ts';

const SOURCES = new URL('../../rpc/src/', import.meta.url);
const all = Object.values(MUTANTS).flat();

function sourceOf({ file }: Mutant): string {
  return readFileSync(new URL(file, SOURCES), 'utf8');
}

describe('mutants', () => {
  it('are at least eighty, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(80);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name } of all) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
  });

  it.each(all)('$name replaces what occurs once, by what can be parsed', (mutant) => {
    const pieces = sourceOf(mutant).split(mutant.find);
    expect(pieces).toHaveLength(2);
    const mutated = pieces.join(mutant.replace);
    expect(mutated).not.toBe(pieces.join(mutant.find));
    stripTypeScriptTypes(mutated);
  });
});
