import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe } from 'vitest';
import { registerCases } from '../../contract/register.ts';
import type { CaseOutcome } from '../../contract/run-case.ts';
import { bundlePage } from '../../support/bundle-page.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

const executablePath = findChromium();
if (!executablePath) {
  console.warn('The contract in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');
}

describe.skipIf(!executablePath)('in Chromium', () => {
  let worker: SharedWorker;
  let browser: Browser;
  let page: Page;
  let instance = 0;

  beforeAll(async () => {
    const [served, started, script] = await Promise.all([
      sharedWorker(),
      launchChromium('--js-flags=--expose-gc'),
      // A case may look for the names of its functions in a stack.
      bundlePage('contract-page.ts', { keepNames: true }),
    ]);
    worker = served;
    browser = started;
    page = await browser.newPage();
    // Any page of the Worker's own origin may connect, even one that says 404. It has to come from there: browsers let
    // pages that came from elsewhere, or from nowhere, connect to addresses of the machine only if they are asked.
    await page.goto(worker.url('/page').replace('ws:', 'http:'));
    await page.addScriptTag({ content: script });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  }, 60_000);

  registerCases({ transport: 'a hibernating socket', environment: 'Chromium' }, ({ part, name }) => {
    const args = [part, name, worker.url(`/rpc/contract/page-${++instance}`)].map((each) => JSON.stringify(each));
    return page.evaluate<CaseOutcome>(`runContractCase(${args.join(', ')})`);
  });
});
