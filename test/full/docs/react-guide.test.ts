import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePage, openPage } from '../../react/react-page.ts';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('The page of the guide skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/react.md');
  await code.add('test/guides/react');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', async () => {
  const lib = ['ES2024', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'];
  // With the declarations: the sources are not for where both pages and Workers are declared.
  expect(await code.typeErrors({ jsx: 'react-jsx', lib, customConditions: [] })).toBe('');
});

test('what it renders on a server is what it says', async () => {
  const outfile = join(code.folder, 'server.mjs');
  await build({
    entryPoints: [join(code.folder, 'server.tsx')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    packages: 'external',
  });
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@lumenize/source', outfile]);
  expect(stdout.trim().split('\n')).toEqual(promisedOutput(code.blocks.get('server.tsx')!));
});

test.skipIf(!executablePath)('its page does what it says', { timeout: 60_000 }, async () => {
  await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
  const [browser, script] = await Promise.all([launchChromium(), bundlePage(join(code.folder, 'page.tsx'))]);
  try {
    const { page, complaints } = await openPage(browser, worker, script);
    const shows = (selector: string, hasText: string) => page.locator(selector).filter({ hasText }).waitFor();
    await shows('h1', 'A room');
    await shows('h2', 'A room');
    await page.fill('[name=text]', 'hello');
    await page.press('[name=text]', 'Enter');
    await shows('li', 'hello');
    await page.press('[name=title]', 'Enter');
    await shows('em', 'A room has a title');
    await page.fill('[name=title]', 'Lobby');
    await page.press('[name=title]', 'Enter');
    await shows('h1', 'Lobby');
    await shows('h2', 'Lobby');
    await worker.kill();
    await shows('[role=status]', 'Connecting');
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
