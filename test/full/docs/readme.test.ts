import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentCode } from '../../support/document-code.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('README.md');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the README is short enough to be read to the end', async () => {
  const text = await readFile(join(projectFolder, 'README.md'), 'utf8');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
});

test('the code of the README has no type errors', async () => {
  expect([...code.blocks.keys()]).toEqual(['worker.ts', 'client.ts', 'wrangler.toml']);
  expect(await code.typeErrors()).toBe('');
});

test("the README's client prints what it says when its Worker runs", async () => {
  await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
  const client = code.blocks.get('client.ts')!;
  const promised = [...client.matchAll(/^console\.log\(.*\/\/ ([^:\n]+)/gm)].map(([, output]) => output);
  expect(promised.length).toBeGreaterThan(3);

  await code.write('client-here.ts', client.replace('localhost:8787', `127.0.0.1:${worker.port}`));
  expect(await code.run('client-here.ts')).toEqual(promised);
});
