import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeBlocks, promisedOutput } from './support/code-blocks.ts';
import { projectFolder } from './support/serve-counter.ts';
import { readWorker, serveWorker } from './support/workerd.ts';

const run = promisify(execFile);

/** Where the guide's code is put: inside the project, so that it finds the packages. */
let folder: string;
let blocks: ReadonlyMap<string, string>;

beforeAll(async () => {
  blocks = codeBlocks(await readFile(join(projectFolder, 'docs/guides/transports.md'), 'utf8'));
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  folder = await mkdtemp(join(projectFolder, 'test/dist/transports-'));
  await Promise.all([...blocks].map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the code of the guide has no type errors', { timeout: 30_000 }, async () => {
  const config = {
    extends: '../../types/tsconfig.json',
    compilerOptions: { types: ['@cloudflare/workers-types', 'node'] },
    include: ['.'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

test.each(['threads.ts', 'sockets.ts', 'processes.ts'])('%s prints what it says', { timeout: 30_000 }, (name) =>
  printsWhatItSays(name, blocks.get(name)!),
);

test('the Worker serves sockets and POSTs, and calls its own object', { timeout: 30_000 }, async () => {
  await using worker = await serveWorker(await readWorker(join(folder, 'wrangler.toml')));
  const client = blocks.get('http-client.ts')!;
  await printsWhatItSays('http-client-here.ts', client.replaceAll('localhost:8787', `127.0.0.1:${worker.port}`));
  for (const count of [1, 2]) {
    const response = await fetch(`http://127.0.0.1:${worker.port}/count`);
    expect(await response.json()).toBe(count);
  }
});

async function printsWhatItSays(name: string, code: string): Promise<void> {
  const promised = promisedOutput(code);
  expect(promised.length).toBeGreaterThan(0);
  await writeFile(join(folder, name), code);
  const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(folder, name)]);
  expect(stdout.trim().split('\n')).toEqual(promised);
}
