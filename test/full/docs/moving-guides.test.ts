import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

/** Which objects the Workers of a guide have. */
const GUIDES = [
  ['docs/guides/from-workers-rpc.md', { CART: 'Cart' }, ['before.ts']],
  ['docs/guides/from-fetch.md', { TODOS: 'Todos' }, ['before.ts', 'after.ts']],
] as const;

describe.each(GUIDES)('%s', (guide, objects, servesOldPages) => {
  let code: DocumentCode;
  beforeAll(async () => {
    code = await DocumentCode.of(guide);
  });
  afterAll(() => code[Symbol.asyncDispose]());

  test('has no type errors', async () => {
    expect(await code.typeErrors({ types: ['@cloudflare/workers-types', 'node'] })).toBe('');
  });

  test.each(servesOldPages)('the old page is served by %s', async (main) => {
    await using worker = await serve(main);
    await printsWhatItSays('page-before.ts', worker);
    if (main === 'after.ts') await printsWhatItSays('page-after.ts', worker);
  });

  test('the new page is served by after.ts', async () => {
    await using worker = await serve('after.ts');
    await printsWhatItSays('page-after.ts', worker);
  });

  function serve(main: string): Promise<ServedWorker> {
    return serveWorker({ main: join(code.folder, main), compatibilityDate: '2026-10-15', objects });
  }

  async function printsWhatItSays(name: string, { port }: ServedWorker): Promise<void> {
    const text = code.blocks.get(name)!;
    const promised = promisedOutput(text);
    expect(promised.length).toBeGreaterThan(0);
    await code.write(`here-${name}`, text.replaceAll('localhost:8787', `127.0.0.1:${port}`));
    expect(await code.run(`here-${name}`)).toEqual(promised);
  }
});
