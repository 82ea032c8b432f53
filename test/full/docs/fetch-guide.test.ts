import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentCode } from '../../support/document-code.ts';
import { printsWhatItSays } from '../../support/prints-what-it-says.ts';
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
  await printsWhatItSays(code, 'page-before.ts', await code.read('page-before.ts'), worker.port);
});

test('after: the old page prints the same, and a new one works beside it', async () => {
  await using worker = await serve('after.ts');
  await printsWhatItSays(code, 'page-before.ts', await code.read('page-before.ts'), worker.port);
  await printsWhatItSays(code, 'page-after.ts', await code.read('page-after.ts'), worker.port);
});

function serve(main: string): Promise<ServedWorker> {
  const objects = { TODOS: 'Todos' };
  return serveWorker({ main: join(code.folder, main), compatibilityDate: '2026-10-15', objects });
}
