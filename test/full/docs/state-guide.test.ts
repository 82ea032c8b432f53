import { join } from 'node:path';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePage, openPage } from '../../react/react-page.ts';
import { promisedOutput } from '../../support/code-blocks.ts';
import { DocumentCode } from '../../support/document-code.ts';
import { GuidesWorkspace, readGuide } from '../../support/guide.ts';
import { readWorker, serveWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('The page of the guide skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

let code: DocumentCode;
beforeAll(async () => {
  code = await DocumentCode.of('docs/guides/state.md');
});
afterAll(() => code[Symbol.asyncDispose]());

test('the code of the guide has no type errors', async () => {
  const lib = ['ES2024', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'];
  // With the declarations: the sources are not for where both pages and Workers are declared.
  expect(await code.typeErrors({ jsx: 'react-jsx', lib, customConditions: [] })).toBe('');
});

test('its program prints what it says', { timeout: 60_000 }, async () => {
  const guide = await readGuide('state.md');
  await using workspace = await GuidesWorkspace.create([guide]);
  expect(guide.programs).toEqual(['two-clients.ts']);
  expect(await workspace.run(guide, 'two-clients.ts')).toEqual(promisedOutput(guide.blocks.get('two-clients.ts')!));
});

test.skipIf(!executablePath)('its page does what it says', { timeout: 60_000 }, async () => {
  await using worker = await serveWorker(await readWorker(join(code.folder, 'wrangler.toml')));
  const [browser, script] = await Promise.all([launchChromium(), bundlePage(join(code.folder, 'page.tsx'))]);
  try {
    const [ada, bob] = await Promise.all([openPage(browser, worker, script), openPage(browser, worker, script)]);
    const shows = ({ page }: typeof ada, selector: string, hasText: string) =>
      page.locator(selector).filter({ hasText }).waitFor();
    await Promise.all([ada, bob].map((each) => shows(each, 'h1', 'live')));
    await ada.page.fill('input', 'Water the plants');
    await ada.page.press('input', 'Enter');
    await shows(bob, 'li', 'Water the plants: todo');
    for (const { page } of [ada, bob]) await page.click('li button');
    for (const each of [ada, bob]) await shows(each, 'li button', '2');
    await ada.page.press('input', 'Enter');
    await shows(ada, '[role=alert]', 'a card has a title');
    expect(await ada.page.locator('li').count()).toBe(1);
    await ada.page.click('[role=alert]');
    expect(await ada.page.locator('[role=alert]').count()).toBe(0);
    expect([...ada.complaints, ...bob.complaints]).toEqual([]);
  } finally {
    await browser.close();
  }
});
