import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentCode } from '../../support/document-code.ts';
import { printsWhatItSays } from '../../support/prints-what-it-says.ts';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/moving.md#capnweb');
  await code.add('test/guides/capnweb');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', async () => {
  expect(await code.typeErrors({ types: ['@cloudflare/workers-types', 'node'] })).toBe('');
});

test('before: the old client calls the old server', async () => {
  await using worker = await serve('before.ts');
  await printsWhatItSays(code, 'old-client.ts', await code.read('old-client.ts'), worker.port);
});

test('in between: the old client prints the same, and a new one works beside it', async () => {
  await using worker = await serve('between.ts');
  await printsWhatItSays(code, 'old-client.ts', await code.read('old-client.ts'), worker.port);
  await printsWhatItSays(code, 'new-client.ts', await code.read('new-client.ts'), worker.port);
});

test('after: the new client is all there is', async () => {
  await using worker = await serve('after.ts');
  const client = await code.read('new-client.ts');
  const first = "await notes.add('buy milk');\n\nconst added = notes.added();";
  const text = client.replace('const added = notes.added();', first);
  await printsWhatItSays(code, 'new-client.ts', text, worker.port);
});

function serve(main: string): Promise<ServedWorker> {
  return serveWorker({
    main: join(code.folder, main),
    compatibilityDate: '2026-10-15',
    objects: { NOTES: 'Notes' },
  });
}
