import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks } from './support/code-blocks.ts';
import { projectFolder } from './support/serve-counter.ts';

const run = promisify(execFile);

/** Where the guide's code is put: inside the project, so that it finds the packages. */
let folder: string;
let blocks: ReadonlyMap<string, string>;

beforeAll(async () => {
  blocks = codeBlocks(await readFile(join(projectFolder, 'docs/guides/streams.md'), 'utf8'));
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  folder = await mkdtemp(join(projectFolder, 'test/dist/streams-guide-'));
  await Promise.all([...blocks].map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the code of the guide has no type errors', { timeout: 60_000 }, async () => {
  const config = { extends: '../../types/tsconfig.json', include: ['.'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test.each([
  ['weather.ts', ['0 10', 'nobody listens', '21', 'sunny, later rain']],
  ['upload.ts', ['5', '12', 'an empty chunk']],
  ['search.ts', ['rpc 2', 'none', 'no longer watching rpc: seen enough']],
])('%s prints what it says', { timeout: 30_000 }, async (name, printed) => {
  const promised = [...blocks.get(name)!.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, output]) => output);
  expect(promised.toSorted()).toEqual(printed.toSorted());
  const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(folder, name)]);
  expect(stdout.trim().split('\n')).toEqual(printed);
});
