import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/moving.md#fetch');
  await code.add('test/guides/fetch');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', async () => {
  expect(await code.typeErrors({ types: ['@cloudflare/workers-types', 'node'] })).toBe('');
});

test('before: the old page calls the old server', async () => {
  await using worker = await serve('before.ts');
  await printsWhatItSays('page-before.ts', worker);
});

test('after: the old page prints the same, and a new one works beside it', async () => {
  await using worker = await serve('after.ts');
  await printsWhatItSays('page-before.ts', worker);
  await printsWhatItSays('page-after.ts', worker);
});

function serve(main: string): Promise<ServedWorker> {
  const objects = { TODOS: 'Todos' };
  return serveWorker({ main: join(code.folder, main), compatibilityDate: '2026-10-15', objects });
}

async function printsWhatItSays(name: string, { port }: ServedWorker): Promise<void> {
  const text = await code.read(name);
  const promised = promisedOutput(text);
  expect(promised.length).toBeGreaterThan(0);
  await code.write(`here-${name}`, text.replaceAll('localhost:8787', `127.0.0.1:${port}`));
  expect(await code.run(`here-${name}`)).toEqual(promised);
}
