import { afterAll, beforeAll, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/types.md');
});
afterAll(() => code[Symbol.asyncDispose]());

test.each(['node_modules/typescript', 'test/types/node_modules/typescript'])(
  'the code of the guide has no type errors for %s',
  { timeout: 60_000 },
  async (compiler) => {
    const files = [
      'shop.ts',
      'chat.ts',
      'lists.ts',
      'settings.ts',
      'money.ts',
      'orders.ts',
      'notes-api.ts',
      'notes.ts',
      'elsewhere.ts',
    ];
    expect([...code.blocks.keys()]).toEqual(files);
    expect(await code.typeErrors(undefined, compiler)).toBe('');
  },
);

test('shop.ts prints what it says', async () => {
  const promised = promisedOutput(code.blocks.get('shop.ts')!);
  expect(promised.length).toBe(4);
  expect(await code.run('shop.ts')).toEqual(promised);
});
