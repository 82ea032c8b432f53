import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/types.md');
});
afterAll(() => code[Symbol.asyncDispose]());

const compilers = ['node_modules/typescript', 'test/types/node_modules/typescript'];

test.each(compilers)('the code of the guide has no type errors for %s', { timeout: 60_000 }, async (compiler) => {
  const files = [
    'shop.ts',
    'chat.ts',
    'worker/board-target.ts',
    'worker/board.ts',
    'page/main.ts',
    'page/tsconfig.json',
    'worker/tsconfig.json',
  ];
  expect([...code.blocks.keys()]).toEqual(files);
  expect(await code.typeErrors(undefined, compiler)).toBe('');
});

describe.each(compilers)('for %s', (compiler) => {
  test('a page and a Worker compile by themselves, and share the API', { timeout: 120_000 }, async () => {
    expect(code.programs).toEqual(['page', 'worker']);
    for (const program of code.programs) expect(await code.programErrors(program, compiler)).toBe('');
  });

  test('a page that imports the object itself does not compile', { timeout: 60_000 }, async () => {
    const wrong = {
      'tsconfig.json': code.blocks.get('page/tsconfig.json')!,
      'main.ts': "export type { Board } from '../worker/board.ts';\n",
    };
    for (const [name, text] of Object.entries(wrong)) await code.write(`wrong/${name}`, text);
    expect(await code.programErrors('wrong', compiler)).toContain("Property 'ctx' does not exist");
  });
});

test('shop.ts prints what it says', async () => {
  const promised = promisedOutput(code.blocks.get('shop.ts')!);
  expect(promised.length).toBe(4);
  expect(await code.run('shop.ts')).toEqual(promised);
});
