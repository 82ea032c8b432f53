import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks, promisedOutput } from '../../../test/support/code-blocks.ts';
import { projectFolder } from '../../../test/support/serve-counter.ts';
import { readWorker, serveWorker } from '../../../test/support/workerd.ts';

const run = promisify(execFile);

/** Where the README's code is put: inside the project, so that it finds the package. */
let folder: string;
let blocks: ReadonlyMap<string, string>;

beforeAll(async () => {
  blocks = codeBlocks(await readFile(join(projectFolder, 'packages/structured-clone/README.md'), 'utf8'));
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  folder = await mkdtemp(join(projectFolder, 'test/dist/codec-readme-'));
  await Promise.all([...blocks].map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the code of the README has no type errors', { timeout: 30_000 }, async () => {
  const config = { extends: '../../types/tsconfig.json', include: ['.'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test.each(['values.ts', 'refused.ts', 'bodies.ts', 'classes.ts', 'strangers.ts'])(
  '%s prints what it says',
  { timeout: 30_000 },
  async (name) => {
    const promised = promisedOutput(blocks.get(name)!);
    expect(promised.length).toBeGreaterThan(0);
    const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(folder, name)]);
    expect(stdout.trim().split('\n')).toEqual(promised);
  },
);

test('the Worker stores a value in SQLite and reads it', { timeout: 30_000 }, async () => {
  await using worker = await serveWorker(await readWorker(join(folder, 'wrangler.toml')));
  const response = await fetch(`http://127.0.0.1:${worker.port}/`);
  expect(await response.json()).toEqual([['Monday', [9, 17]]]);
});
