import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { describe, expect, test } from 'vitest';
import { bundleComponents } from '../../frameworks/bundle.ts';
import { openPage } from '../../react/react-page.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('The pages of the guides skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

const LIB = ['ES2024', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'];

/** What compiles a file of components is no compiler of TypeScript. */
const SHIMS = `declare module '*.vue' { const component: import('vue').Component; export default component; }
declare module '*.svelte' { const component: import('svelte').Component; export default component; }
`;

describe.each([
  ['vue', 'docs/guides/frameworks.md#vue', '.'],
  ['svelte', 'docs/guides/frameworks.md#svelte', '.'],
  ['solid', 'docs/guides/frameworks.md#solid', '.'],
  ['react', 'docs/guides/react.md', 'query'],
])('with %s the code of %s in %s', (framework, document, place) => {
  test('has no type errors, and its page does what it says', { timeout: 60_000 }, async ({ skip }) => {
    await using code = await DocumentCode.of(document);
    await using react = await DocumentCode.of('docs/guides/react.md');
    // It has the Worker, and what the page needs to know of it.
    for (const name of ['api.ts', 'worker.ts', 'wrangler.toml']) await code.write(name, react.blocks.get(name)!);
    await code.add(`test/guides/${place === '.' ? framework : place}`, place);
    await code.write('shims.d.ts', SHIMS);
    expect(await code.typeErrors({ jsx: 'react-jsx', lib: LIB, customConditions: [] })).toBe('');
    if (!executablePath) return skip();
    const entry = ['page.ts', 'page.tsx'].map((name) => join(code.folder, place, name)).find(existsSync)!;
    await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
    const [browser, script] = await Promise.all([launchChromium(), bundleComponents(framework, entry, 'page')]);
    try {
      const { page, complaints } = await openPage(browser, worker, script);
      const shows = (selector: string, hasText: string) => page.locator(selector).filter({ hasText }).waitFor();
      await shows('h1', 'A room');
      await page.click('#rename');
      await shows('em', 'A room has a title');
      await page.fill('input', 'Lobby');
      await page.click('#rename');
      await page.click('#say');
      await shows('h1', 'Lobby');
      expect(await page.locator('em').textContent()).toBe('');
      if (place !== 'query') {
        await shows('li', 'Lobby');
        await worker.kill();
        await shows('[role=status]', 'Connecting');
      }
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
