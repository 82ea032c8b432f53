import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CASES } from '../contract/cases/all.ts';
import { KNOWN_FAILURES, surpriseOf } from '../known-failures.ts';
import { projectFolder } from '../support/serve-counter.ts';

const files = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], {
  cwd: projectFolder,
  exclude: (name) => /node_modules|dist/.test(String(name)),
});

/** The text of the file that a listed test is in. */
function sourceOf(where: string): string {
  const found = files.filter((file) => basename(file) === `${where}.test.ts`);
  return found.map((file) => readFileSync(`${projectFolder}/${file}`, 'utf8')).join('');
}

describe('the tests that are known to fail', () => {
  test.each(KNOWN_FAILURES)('$test', ({ test: name }) => {
    if (CASES.some((each) => `${each.part}: ${each.name}` === name)) return;
    const [where, ...rest] = name.split(': ');
    // Names of several kinds end in the kind.
    const title = rest.join(': ').replace(/ \([^)]+\)$/, '');
    const source = sourceOf(where);
    expect(source).toContain(title);
    expect(source).toContain(`testOrKnownOf('${where}')`);
  });

  test('have names of their own', () => {
    expect(new Set(KNOWN_FAILURES.map(({ test: name }) => name)).size).toBe(KNOWN_FAILURES.length);
  });

  test('are failures where they pass, and where they fail in another way', () => {
    const known = { test: 'here: a test', row: 1, reason: 'why', says: /as listed/ };
    expect(surpriseOf(known, 'fails as listed')).toBe(undefined);
    expect(surpriseOf(known, undefined)).toMatch('it passes by now');
    expect(surpriseOf(known, 'Error: another')).toMatch('fails in another way: Error: another');
  });
});
