import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

/** Which objects the Workers of a guide have, which of them serve old pages, and what they take from elsewhere. */
const GUIDES: readonly [string, Record<string, string>, readonly string[], Record<string, string>?][] = [
  ['docs/guides/from-workers-rpc.md', { CART: 'Cart' }, ['before.ts']],
  ['docs/guides/from-fetch.md', { TODOS: 'Todos' }, ['before.ts', 'after.ts']],
  [
    'docs/guides/from-partyserver.md',
    { Room: 'Room' },
    ['before.ts', 'between.ts'],
    { 'rpc-party.ts': 'examples/partyserver/src/rpc-party.ts' },
  ],
  ['docs/guides/from-agents.md', { POLL: 'Poll' }, []],
];

describe.each(GUIDES)('%s', (guide, objects, servesOldPages, others = {}) => {
  let code: DocumentCode;
  beforeAll(async () => {
    code = await DocumentCode.of(guide);
    for (const [name, path] of Object.entries(others)) {
      await code.write(name, await readFile(join(projectFolder, path), 'utf8'));
    }
  });
  afterAll(() => code[Symbol.asyncDispose]());

  test('has no type errors', async () => {
    expect(await code.typeErrors({ types: ['@cloudflare/workers-types', 'node'] })).toBe('');
  });

  test.each(servesOldPages)('the old page is served by %s', async (main) => {
    await using worker = await serve(main);
    await printsWhatItSays('page-before.ts', worker);
    if (main !== 'before.ts') await printsWhatItSays('page-after.ts', worker);
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
