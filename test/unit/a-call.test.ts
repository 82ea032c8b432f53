import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';

/** What carries frames in this test, in place of a socket. */
const CARRIES = /\/(testing|inspect|transport)\//;

describe('increment(), there and back, without its transport', () => {
  const trace = join(projectFolder, 'test/support/trace-call.ts');
  const output = execFileSync(process.execPath, ['--conditions=@lumenize/source', trace], { encoding: 'utf8' });
  const passed = JSON.parse(output) as [file: string, entries: number][];
  const files = passed.filter(([file]) => !CARRIES.test(file));

  test('passes the files that docs/internals/a-call.md lists, and no others', () => {
    const [, list] = readFileSync(join(projectFolder, 'docs/internals/a-call.md'), 'utf8').split('## What it passes');
    const listed = [...list.matchAll(/^\| \[[^\]]+\]\((?:\.\.\/)+([^)]+)\)/gm)].map(([, file]) => file);
    expect(files.map(([file]) => file).toSorted()).toEqual(listed.toSorted());
  });

  test('passes at most 22 files, and enters at most 94 functions', () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files.length).toBeLessThanOrEqual(22);
    expect(files.reduce((sum, [, entries]) => sum + entries, 0)).toBeLessThanOrEqual(94);
  });
});
