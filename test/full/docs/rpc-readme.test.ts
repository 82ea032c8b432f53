import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishedPackages } from '../../../tools/bundle/published-packages.ts';
import { DocumentCode } from '../../support/document-code.ts';

const { folder, specifiers } = publishedPackages().find(({ name }) => name === '@lumenize/rpc')!;

test('the code of the README has no type errors', async () => {
  await using code = await DocumentCode.of('packages/rpc/README.md');
  expect(await code.typeErrors()).toBe('');
});

test('the README names every entry', () => {
  const text = readFileSync(join(folder, 'README.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `(.+?)` \|/gm)].map(([, specifier]) => specifier);
  expect(rows.toSorted()).toEqual(specifiers.toSorted());
});
