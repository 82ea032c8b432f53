import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
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
  await printsWhatItSays('old-client.ts', worker);
});

test('in between: the old client prints the same, and a new one works beside it', async () => {
  await using worker = await serve('between.ts');
  await printsWhatItSays('old-client.ts', worker);
  await printsWhatItSays('new-client.ts', worker);
});

test('after: the new client is all there is', async () => {
  await using worker = await serve('after.ts');
  const client = await code.read('new-client.ts');
  const first = "await notes.add('buy milk');\n\nconst added = notes.added();";
  await printsWhatItSays('new-client.ts', worker, client.replace('const added = notes.added();', first));
});

function serve(main: string): Promise<ServedWorker> {
  return serveWorker({
    main: join(code.folder, main),
    compatibilityDate: '2026-10-15',
    objects: { NOTES: 'Notes' },
  });
}

async function printsWhatItSays(name: string, { port }: ServedWorker, given?: string): Promise<void> {
  const text = given ?? (await code.read(name));
  const promised = promisedOutput(text);
  expect(promised.length).toBeGreaterThan(0);
  await code.write(`here-${name}`, text.replaceAll('localhost:8787', `127.0.0.1:${port}`));
  expect(await code.run(`here-${name}`)).toEqual(promised);
}
