import { fileURLToPath } from 'node:url';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CASES } from '../../contract/cases/all.ts';
import type { CaseOutcome } from '../../contract/run-case.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

const executablePath = findChromium();
if (!executablePath) {
  console.warn('Parts on demand in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');
}

/** The parts of the contract that need parts of the library. */
const NEED_PARTS: ReadonlySet<string> = new Set([
  'calls',
  'pipelining',
  'map and filter',
  'ordering',
  'references',
  'callbacks',
  'streams',
  'cancellation and context',
]);

/** Values that arrive by what few values need. */
const RARE_VALUES = /holes|buffer|boxed|URL|search|headers/i;

// Every case has a page of its own, whose bundle is split: what the case needs is loaded in the midst of it.
describe.skipIf(!executablePath)('in Chromium, with nothing loaded yet', () => {
  let worker: SharedWorker;
  let browser: Browser;
  let page: Page;
  let instance = 0;

  beforeAll(async () => {
    const [served, started, files] = await Promise.all([
      sharedWorker(),
      launchChromium('--js-flags=--expose-gc'),
      splitPage(),
    ]);
    worker = served;
    browser = started;
    page = await browser.newPage();
    await page.route('**/parts/*', (route) => {
      const name = new URL(route.request().url()).pathname.split('/').at(-1)!;
      return route.fulfill({ contentType: 'text/javascript', body: files.get(name) });
    });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
  }, 60_000);

  test.each(
    CASES.filter(
      ({ pending, part, name }) => !pending && (NEED_PARTS.has(part) || (part === 'values' && RARE_VALUES.test(name))),
    ).map((which) => [`${which.part}: ${which.name}`, which] as const),
  )('%s', async (_name, { part, name }) => {
    // The Worker's own answer, so that the page may connect to it: see the contract in a browser.
    await page.goto(worker.url('/page').replace('ws:', 'http:'));
    await page.addScriptTag({ type: 'module', url: '/parts/contract-page.js' });
    const args = [part, name, worker.url(`/rpc/contract/fresh-${++instance}`)].map((each) => JSON.stringify(each));
    const outcome = await page.evaluate<CaseOutcome>(`runContractCase(${args.join(', ')})`);
    expect(outcome).not.toMatchObject({ status: 'fails' });
  });
});

/** The page's script and the parts that it loads, by their names. */
async function splitPage(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../support/contract-page.ts', import.meta.url).href)],
    bundle: true,
    splitting: true,
    outdir: '/parts',
    write: false,
    format: 'esm',
    conditions: ['@lumenize/source'],
    // A case may look for the names of its functions in a stack.
    keepNames: true,
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path, text }) => [path.replace(/.*[\\/]/, ''), text]));
}
