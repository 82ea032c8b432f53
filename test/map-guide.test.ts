import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks, promisedOutput } from './support/code-blocks.ts';
import { projectFolder } from './support/serve-counter.ts';

const run = promisify(execFile);

/** Where the guide's code is put: inside the project, so that it finds the packages. */
let folder: string;
let blocks: ReadonlyMap<string, string>;

beforeAll(async () => {
  blocks = codeBlocks(await readFile(join(projectFolder, 'docs/guides/map-and-filter.md'), 'utf8'));
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  folder = await mkdtemp(join(projectFolder, 'test/dist/map-guide-'));
  await Promise.all([...blocks].map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the code of the guide has no type errors', { timeout: 30_000 }, async () => {
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../types/tsconfig.json', include: ['.'] }),
  );
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test.each(['rooms.ts', 'mistakes.ts'])('%s prints what it says', { timeout: 30_000 }, async (name) => {
  const promised = promisedOutput(blocks.get(name)!);
  expect(promised.length).toBeGreaterThan(5);
  const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(folder, name)]);
  expect(stdout.trim().split('\n')).toEqual(promised);
});
