import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DocumentCode } from '../../support/document-code.ts';
import { printsWhatItSays } from '../../support/prints-what-it-says.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/transports.md');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', async () => {
  expect(await code.typeErrors({ types: ['@cloudflare/workers-types', 'node'] })).toBe('');
});

test.each(['threads.ts', 'sockets.ts', 'processes.ts'])('%s prints what it says', (name) =>
  printsWhatItSays(code, name, code.blocks.get(name)!),
);

test('the Worker serves sockets and POSTs, and calls its own object', async () => {
  await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
  for (const name of ['http-client.ts', 'small-client.ts']) {
    await printsWhatItSays(code, name, code.blocks.get(name)!, worker.port);
  }
  for (const count of [1, 2]) {
    const response = await fetch(`http://127.0.0.1:${worker.port}/count`);
    expect(await response.json()).toBe(count);
  }
});
