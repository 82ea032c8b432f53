import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks } from './support/code-blocks.ts';
import { projectFolder } from './support/serve-counter.ts';
import { readWorker, serveWorker } from './support/workerd.ts';

const run = promisify(execFile);

/** Where the README's code is put: inside the project, so that it finds the packages. */
let folder: string;
let blocks: ReadonlyMap<string, string>;

beforeAll(async () => {
  blocks = codeBlocks(await readFile(join(projectFolder, 'README.md'), 'utf8'));
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  folder = await mkdtemp(join(projectFolder, 'test/dist/readme-'));
  await Promise.all([...blocks].map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the code of the README has no type errors', { timeout: 30_000 }, async () => {
  expect([...blocks.keys()]).toEqual(['worker.ts', 'wrangler.toml', 'client.ts', 'guarded-worker.ts']);
  const config = { extends: '../../types/tsconfig.json', include: ['.'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test("the README's client prints what it says when its Worker runs", { timeout: 30_000 }, async () => {
  await using worker = await serveWorker(await readWorker(join(folder, 'wrangler.toml')));
  const client = blocks.get('client.ts')!;
  const promised = [...client.matchAll(/^console\.log\(.*\/\/ ([^:\n]+)/gm)].map(([, output]) => output);
  expect(promised.length).toBeGreaterThan(3);

  const file = join(folder, 'client-here.ts');
  await writeFile(file, client.replace('localhost:8787', `127.0.0.1:${worker.port}`));
  const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', file]);
  expect(stdout.trim().split('\n')).toEqual(promised);
});
