import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('packages/structured-clone/README.md');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the README has no type errors', async () => {
  expect(await code.typeErrors()).toBe('');
});

test.each(['values.ts', 'refused.ts', 'bodies.ts', 'classes.ts', 'strangers.ts'])(
  '%s prints what it says',
  async (name) => {
    const promised = promisedOutput(code.blocks.get(name)!);
    expect(promised.length).toBeGreaterThan(0);
    expect(await code.run(name)).toEqual(promised);
  },
);

test('the Worker stores a value in SQLite and reads it', async () => {
  await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
  const response = await fetch(`http://127.0.0.1:${worker.port}/`);
  expect(await response.json()).toEqual([['Monday', [9, 17]]]);
});
