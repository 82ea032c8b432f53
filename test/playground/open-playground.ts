import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { makeWorkspace, type ServedCounter, serveCounter, type Workspace } from '../support/serve-counter.ts';

export const chromiumPath = findChromium();
if (!chromiumPath) console.warn('Playground tests skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

/** A page of the playground, and what the browser's console has complained about. */
export interface Tab {
  readonly page: Page;
  readonly complaints: string[];
}

/** The playground as `npm start` serves it, and a browser. */
export interface OpenPlayground extends AsyncDisposable {
  /** A test that stops it puts another one in its place. */
  server: ServedCounter;
  /** What it stores, and the page it serves. */
  readonly workspace: Workspace;
  readonly browser: Browser;
  /** Opens the page at a part of it, such as `#counter/main`, in a window of its own. */
  open(hash: string, options?: BrowserContextOptions): Promise<Tab>;
}

/** Starts both, once for a test file. */
export async function openPlayground(): Promise<OpenPlayground> {
  const workspace = await makeWorkspace();
  const [server, browser] = await Promise.all([serveCounter(workspace), launchChromium()]);
  const opened: OpenPlayground = {
    server,
    workspace,
    browser,
    async open(hash, options) {
      const page = await browser.newPage(options);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
      });
      await page.goto(`${opened.server.pageUrl}${hash}`);
      return { page, complaints };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await opened.server[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
  return opened;
}
