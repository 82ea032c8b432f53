import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serverSettings } from '../../../packages/rpc/src/server/settings.ts';
import { promisedOutput, unnamedBlocks } from '../../support/code-blocks.ts';
import { GuidesWorkspace, guideNames, readGuide, unusedFiles, withoutFolders } from '../../support/guide.ts';
import { projectFolder } from '../../support/serve-counter.ts';

const tests = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], { cwd: projectFolder })
  .map((file) => readFileSync(join(projectFolder, file), 'utf8'))
  .join('');
const index = 'README.md';
const names = (await guideNames()).filter((name) => name !== index);
const guides = (await Promise.all(names.filter((name) => !hasOwnTest(name)).map(readGuide)))
  .map((guide) => withoutFolders(guide, (folder) => hasOwnTest(`${guide.name}#${folder}`)))
  .filter(({ blocks }) => blocks.size > 0);

let workspace: GuidesWorkspace;
beforeAll(async () => {
  workspace = await GuidesWorkspace.create(guides);
});
afterAll(() => workspace[Symbol.asyncDispose]());

test('the index names every guide', async () => {
  const { text } = await readGuide(index);
  expect(names.filter((name) => !text.includes(`](${name})`))).toEqual([]);
});

test.each(names)('all code of %s has the name of a file, by which it is compiled or run', async (name) => {
  expect(unnamedBlocks((await readGuide(name)).text)).toEqual([]);
});

test('the code of guides has no type errors', { timeout: 60_000 }, async () => {
  expect(await workspace.compile()).toBe('');
});

test('the guide of limits has each limit, with its default', async () => {
  const { text } = await readGuide('limits.md');
  const rows = [...text.matchAll(/^\| `(max\w+)` \| ([\d,]+) \|/gm)];
  expect(Object.fromEntries(rows.map(([, name, value]) => [name, Number(value.replaceAll(',', ''))]))).toEqual(
    serverSettings({}).limits,
  );
});

describe.each(guides)('$name', (guide) => {
  test('has examples, and each is run', () => {
    expect(guide.programs.length).toBeGreaterThan(0);
    expect(unusedFiles(guide)).toEqual([]);
  });

  test.each(guide.programs)('%s prints what it says', { timeout: 60_000 }, async (file) => {
    expect(await workspace.run(guide, file)).toEqual(promisedOutput(guide.blocks.get(file)!));
  });
});

/** True if a guide, or a folder of its code, has a test of its own: it needs more than Node and a Worker, or other compilers. */
function hasOwnTest(name: string): boolean {
  return new RegExp(`'docs/guides/${name.replace('.', '\\.')}(?![#\\w])`).test(tests);
}
