import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';

/** What size-limit says of one budget. */
interface Checked {
  readonly name: string;
  readonly passed: boolean;
  readonly size: number;
}

test('what pages and Workers load of the built packages keeps to its budgets', { timeout: 60_000 }, async () => {
  const sizeLimit = join(projectFolder, 'node_modules/size-limit/bin.js');
  const output = await new Promise<string>((resolve) => {
    // Where a budget is missed it exits with 1, and says which all the same.
    execFile(process.execPath, [sizeLimit, '--json'], { cwd: projectFolder }, (_error, stdout, stderr) =>
      resolve(stdout || stderr),
    );
  });
  const checked: Checked[] = output.startsWith('[') ? JSON.parse(output) : expect.fail(output);
  expect(checked.filter(({ passed }) => !passed).map(({ name, size }) => `${name}: ${size} B`)).toEqual([]);
  expect(checked.length).toBeGreaterThan(10);
});

test.each(['react', 'vue', 'svelte', 'solid', 'tanstack-query'])('the adapter of %s is read in one go', (name) => {
  const files = globSync(`packages/${name}/src/*.ts`, { cwd: projectFolder });
  const lines = files.flatMap((path) => readFileSync(join(projectFolder, path), 'utf8').trimEnd().split('\n'));
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.length).toBeLessThanOrEqual(140);
});
