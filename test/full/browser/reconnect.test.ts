import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from '../../support/bundle-page.ts';
import { type ServedWorker, serveTestWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('Reconnecting in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

describe.skipIf(!executablePath)('a page in Chromium', { timeout: 60_000 }, () => {
  let worker: ServedWorker;
  let browser: Browser;
  let page: Page;
  let content: string;

  beforeAll(async () => {
    content = await bundlePage('reconnect-page.ts', { target: 'es2022' });
    [worker, browser] = await Promise.all([serveTestWorker(), launchChromium()]);
    page = await browser.newPage();
    // Any page of the Worker's own origin.
    await page.goto(`http://127.0.0.1:${worker.port}/`);
    await page.addScriptTag({ content });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await worker?.[Symbol.asyncDispose]();
  }, 60_000);

  test('that comes online connects at once, and its calls go on', async () => {
    const url = worker.url('/rpc/delivery/page');
    expect(await page.evaluate(`reconnect.connect(${JSON.stringify(url)})`)).toBe(1);
    await page.context().setOffline(true);
    await worker.kill();
    await page.waitForFunction(`reconnect.state() === 'reconnecting'`);
    const called = page.evaluate('reconnect.increment()');
    await worker.restart();
    await page.context().setOffline(false);
    expect(await called).toBe(2);
    expect(await page.evaluate('reconnect.states')).toEqual(['connecting', 'open', 'reconnecting', 'open']);
  });

  test('that is looked at again connects at once', async () => {
    await worker.kill();
    await page.waitForFunction(`reconnect.state() === 'reconnecting'`);
    await worker.restart();
    await page.evaluate(`dispatchEvent(new Event('focus'))`);
    expect(await page.evaluate('reconnect.increment()')).toBe(3);
  });

  test('takes relative URLs from its base, also in a frame with srcdoc', async () => {
    const framed = await browser.newPage();
    await framed.goto(`http://127.0.0.1:${worker.port}/`);
    const base = `<base href="/rpc/delivery/">`;
    await framed.evaluate(`document.body.innerHTML = '<iframe></iframe>'; document.head.innerHTML = '${base}'`);
    await framed.addScriptTag({ content });
    const frame = await (await framed.waitForSelector('iframe'))!.contentFrame();
    const loaded = framed.waitForEvent('framenavigated');
    await framed.evaluate(`document.querySelector('iframe').srcdoc = '<p>frame'`);
    await loaded;
    await frame!.addScriptTag({ content });
    expect(await frame!.evaluate('location.href')).toBe('about:srcdoc');
    expect(await frame!.evaluate(`reconnect.connect('based')`)).toBe(1);
    expect(await framed.evaluate(`reconnect.connect('based')`)).toBe(2);
    await framed.close();
  });
});
