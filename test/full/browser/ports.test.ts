import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from '../../support/bundle-page.ts';
import { type ServedHttp, serveHttp } from '../../support/serve-http.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('Ports in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

describe.skipIf(!executablePath)('in Chromium', { timeout: 60_000 }, () => {
  let browser: Browser;
  let page: Page;
  /** Two servers of the same files are two origins. */
  let here: ServedHttp;
  let there: ServedHttp;

  beforeAll(async () => {
    const [pageScript, workerScript] = await Promise.all([bundlePage('ports-page.ts'), bundlePage('ports-worker.ts')]);
    const files: Record<string, [type: string, content: string]> = {
      '/': ['text/html', '<script src="/page.js"></script>'],
      '/frame': ['text/html', '<script src="/worker.js"></script>'],
      '/page.js': ['text/javascript', pageScript],
      '/worker.js': ['text/javascript', workerScript],
    };
    const serve = () =>
      serveHttp(({ url }) => {
        const [type, content] = files[new URL(url).pathname] ?? ['text/plain', 'Not found'];
        return new Response(`${type === 'text/html' ? '<!doctype html><body>' : ''}${content}`, {
          headers: { 'Content-Type': type },
        });
      });
    [here, there, browser] = await Promise.all([serve(), serve(), launchChromium()]);
    page = await browser.newPage();
    await page.goto(here.url);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await here?.[Symbol.asyncDispose]();
    await there?.[Symbol.asyncDispose]();
  }, 60_000);

  /** Asks the page for something. */
  function ask(method: string, ...args: string[]): Promise<unknown> {
    return page.evaluate(`ports.${method}(...${JSON.stringify(args)})`);
  }
  const origin = (server: ServedHttp) => new URL(server.url).origin;
  const frame = (server: ServedHttp, parent: string) => `${server.url}frame?page=${encodeURIComponent(parent)}`;

  test('a Worker is called, with bytes and callbacks', async () => {
    expect(await ask('worker', '/worker.js')).toEqual(['Hello, worker', 1_000_000, 'really!']);
  });

  test('a frame of the same origin is called, also before it has loaded', async () => {
    expect(await ask('frame', frame(here, origin(here)), origin(here))).toBe('Hello, frame');
  });

  test('a frame of another origin is called', async () => {
    expect(await ask('frame', frame(there, origin(here)), origin(there))).toBe('Hello, frame');
  });

  test('a sandboxed origin is served where any origin is allowed', async () => {
    expect(await ask('frame', frame(there, '*'), '*')).toBe('Hello, frame');
  });

  test.each([
    ['the page', () => [frame(there, origin(here)), origin(here)]],
    ['the frame', () => [frame(there, origin(there)), origin(there)]],
  ])('nothing is said to an origin that %s did not name', async (_who, names) => {
    expect(await ask('frame', ...names())).toBe('NOT_EXECUTED');
  });

  test('a port that was sent to a frame is served there', async () => {
    expect(await ask('portToFrame', frame(there, origin(here)), origin(there))).toBe('Hello, port');
  });

  test('a frame that is loaded anew settles its calls, and is called again', async () => {
    expect(await ask('reload', frame(there, origin(here)), origin(there))).toEqual([
      'OUTCOME_UNKNOWN',
      'idle',
      'Hello, frame again',
    ]);
  });
});
