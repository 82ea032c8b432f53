import { connect } from '@lumenize/rpc';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CounterApi } from '../examples/counter/src/counter-api.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from './support/find-chromium.ts';
import { makeWorkspace, type ServedCounter, serveCounter, type Workspace } from './support/serve-counter.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('Browser tests skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

describe.skipIf(!executablePath)('the counter page', { timeout: 60_000 }, () => {
  let workspace: Workspace;
  let counters: ServedCounter;
  let browser: Browser;

  beforeAll(async () => {
    workspace = await makeWorkspace();
    [counters, browser] = await Promise.all([
      serveCounter(workspace),
      chromium.launch({ executablePath, args: CHROMIUM_ARGUMENTS }),
    ]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await counters?.[Symbol.asyncDispose]();
    await workspace?.[Symbol.asyncDispose]();
  }, 60_000);

  /** Opens one counter in a tab and collects what a browser's console complains about. */
  async function openTab(name: string, options?: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage(options);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(`${counters.pageUrl}?name=${name}`);
    return { page, complaints };
  }

  test('shows one count in two tabs, keeps it over a reload and leaves the console empty', async () => {
    const first = await openTab('two-tabs');
    const second = await openTab('two-tabs');
    await press(first.page, '+1');
    await shows(first.page, '1');
    await shows(second.page, '1');
    await press(second.page, '+10');
    await shows(second.page, '11');
    await shows(first.page, '11');
    await first.page.reload();
    await shows(first.page, '11');
    await press(first.page, 'Reset');
    await shows(second.page, '0');
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  test('makes a hundred calls of one turn in one frame each way', async () => {
    const { page } = await openTab('one-turn');
    await shows(page, '0');
    await press(page, '100 in one turn');
    await shows(page, '100');
    expect(await costs(page, 'calls', 'framesSent', 'framesReceived')).toEqual(['100', '1', '1']);
  });

  test('says what to do while the server is away, and counts on when it is back', async () => {
    const { page } = await openTab('away');
    await press(page, '+1');
    await shows(page, '1');
    const { port } = counters;
    await counters.stop();
    await page.getByRole('alert').filter({ hasText: 'npm start' }).waitFor();
    await press(page, '+1');
    await page.getByRole('alert').filter({ hasText: 'Nothing was counted' }).waitFor();
    counters = await serveCounter(workspace, port);
    await page.getByText('Connected', { exact: true }).waitFor();
    await press(page, '+1');
    await shows(page, '2');
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });

  test('asks for the value every second while it is visible, and not at all while hidden', async () => {
    const page = await browser.newPage();
    let sent = 0;
    page.on('websocket', (socket) => socket.on('framesent', () => sent++));
    await page.clock.install();
    await page.goto(`${counters.pageUrl}?name=hidden`);
    await shows(page, '0');
    using elsewhere = connect<CounterApi>(counters.counterUrl('hidden'));
    await elsewhere.increment();
    await page.clock.runFor(1000);
    await shows(page, '1');
    await setVisibility(page, 'hidden');
    const sentBefore = sent;
    await page.clock.runFor(10_000);
    expect(sent).toBe(sentBefore);
    await elsewhere.increment();
    await setVisibility(page, 'visible');
    await shows(page, '2');
  });

  test.each(['light', 'dark'] as const)('fits a small phone in %s colours', async (colorScheme) => {
    const { page } = await openTab('phone', { colorScheme, viewport: { width: 320, height: 640 } });
    await press(page, '100 in one turn');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });
});

function press(page: Page, button: string): Promise<void> {
  return page.getByRole('button', { name: button, exact: true }).click();
}

/** Resolves when the page shows exactly this value. */
function shows(page: Page, value: string): Promise<void> {
  return page
    .getByLabel('Value')
    .filter({ hasText: new RegExp(`^${value}$`) })
    .waitFor();
}

/** Tells the page that its tab was hidden or shown; a headless browser never hides one. */
function setVisibility(page: Page, state: 'visible' | 'hidden'): Promise<void> {
  return page.evaluate<void>(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

function costs(page: Page, ...names: string[]): Promise<(string | null)[]> {
  return Promise.all(names.map((name) => page.locator(`[data-cost=${name}]`).textContent()));
}
