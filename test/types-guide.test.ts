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
  blocks = codeBlocks(await readFile(join(projectFolder, 'docs/guides/types.md'), 'utf8'));
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  folder = await mkdtemp(join(projectFolder, 'test/dist/types-guide-'));
  await Promise.all([...blocks].map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(['node_modules/typescript', 'test/types/node_modules/typescript'])(
  'the code of the guide has no type errors for %s',
  { timeout: 60_000 },
  async (compiler) => {
    expect([...blocks.keys()]).toEqual(['shop.ts', 'chat.ts', 'lists.ts', 'settings.ts', 'money.ts']);
    const config = { extends: '../../types/tsconfig.json', include: ['.'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(projectFolder, compiler, 'bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  },
);

test('shop.ts prints what it says', { timeout: 30_000 }, async () => {
  const promised = promisedOutput(blocks.get('shop.ts')!);
  expect(promised.length).toBe(4);
  const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(folder, 'shop.ts')]);
  expect(stdout.trim().split('\n')).toEqual(promised);
});
