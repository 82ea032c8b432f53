import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { FIREFOX } from '@lumenize/hosts/firefox';
import { ROOT } from '@lumenize/hosts/root';
import type { Browser, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPages } from '../../../tools/site/pages.ts';
import { type Program, withButtons } from '../../../tools/site/programs.ts';
import { promisedOutput } from '../../support/code-blocks.ts';
import { makeWorkspace, type ServedCounter, serveCounter, type Workspace } from '../../support/serve-counter.ts';

const FIRST_LOAD_BYTES = 150_000;
const { pages } = readPages();
const paths = pages.map(({ path }) => path.replace(/(^|\/)index\.md$|\.md$/, '$1'));
/** True once a page is more than its HTML. */
const IS_READY = `document.querySelector('#app')?.__vue_app__ !== undefined`;

/** Lists where a page's links and images lead, and the names that links can end with. */
const FOUND = `({
  title: document.querySelector('h1')?.textContent ?? '',
  hrefs: [...document.querySelectorAll('a[href], img[src]')].map((each) => each.href || each.src),
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
})`;

interface Found {
  readonly title: string;
  readonly hrefs: readonly string[];
  readonly ids: readonly string[];
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What axe looks for: in the dark all is as in the light, but for the colours. */
const RULES = {
  light: `{ resultTypes: ['violations'] }`,
  dark: `{ resultTypes: ['violations'], runOnly: ['color-contrast'] }`,
};
/** Its tables have thousands of cells, which take axe half a minute. */
const FIGURES = 'measurements/files';

let workspace: Workspace;
let server: ServedCounter;
beforeAll(async () => {
  workspace = await makeWorkspace();
  await promisify(execFile)(process.execPath, [
    join(ROOT, 'tools/site/main.ts'),
    ...['--out', join(workspace.folder, 'page/docs')],
  ]);
  server = await serveCounter(workspace);
}, 240_000);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await workspace?.[Symbol.asyncDispose]();
}, 60_000);

const address = (path: string) => `${server.pageUrl}docs/${path}`;

test('has the Markdown of each page beside it, and lists for programs that read', async () => {
  for (const { path, text } of pages) expect(await (await fetch(address(path))).text(), path).toBe(text);
  const list = await (await fetch(address('llms.txt'))).text();
  expect(list).toContain('(/docs/guides/getting-started.md)');
  for (const [, to] of list.matchAll(/\]\(\/docs\/([^)]+)\)/g)) expect(pages.map(({ path }) => path)).toContain(to);
  expect(await (await fetch(address('llms-full.txt'))).text()).toContain('# Getting started');
});

const chromium = findChromium();
if (!chromium) console.warn('The site in Chromium skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

describe.skipIf(!chromium)('the site in Chromium', { timeout: 400_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function open(path: string): Promise<[Page, string[]]> {
    const page = await browser.newPage({ reducedMotion: 'reduce' });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`);
    });
    await go(page, path);
    return [page, complaints];
  }

  async function go(page: Page, path: string): Promise<void> {
    await page.goto(address(path));
    await page.waitForFunction(IS_READY);
  }

  /** Opens two windows, which share the pages. */
  async function onAllPages(look: (page: Page, path: string) => Promise<void>): Promise<string[]> {
    const left = paths.values();
    const windows = await Promise.all([open(''), open('')]);
    await Promise.all(
      windows.map(async ([page]) => {
        for (const path of left) {
          await page.emulateMedia({ colorScheme: 'light' });
          await go(page, path);
          await look(page, path);
        }
      }),
    );
    return windows.flatMap(([, complaints]) => complaints);
  }

  test('shows every page without complaints, links that lead somewhere, and nothing that axe finds wrong', async () => {
    const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    const found = new Map<string, Found>();
    const wrong: string[] = [];
    const complaints = await onAllPages(async (page, path) => {
      found.set(path, await page.evaluate<Found>(FOUND));
      await page.evaluate(axe);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.waitForFunction(`document.documentElement.classList.contains('dark') === ${colorScheme === 'dark'}`);
        const { violations } = await page.evaluate<{ violations: Violation[] }>(
          `axe.run({ exclude: ${path === FIGURES ? "['table']" : '[]'} }, ${RULES[colorScheme]})`,
        );
        for (const { id, nodes } of violations)
          wrong.push(`${path}, ${colorScheme}: ${id}: ${nodes.length}, such as ${nodes[0].html}`);
      }
    });
    expect(complaints).toEqual([]);
    expect(paths.filter((path) => !found.get(path)!.title)).toEqual([]);
    expect(await deadLinks(found)).toEqual([]);
    expect(wrong).toEqual([]);
  });

  test('shows charts that can be read on a phone, in the colours of the page, whatever those of the system', async () => {
    const [page, complaints] = await open(FIGURES);
    await page.setViewportSize({ width: 390, height: 800 });
    const chart = async (ofPage: string, colorScheme: 'light' | 'dark') => {
      await page.evaluate(`localStorage.setItem('vitepress-theme-appearance', '${ofPage}')`);
      await page.emulateMedia({ colorScheme });
      await go(page, FIGURES);
      return page.locator('main img').first().screenshot();
    };
    const light = await chart('light', 'light');
    expect(light.equals(await chart('light', 'dark'))).toBe(true);
    expect(light.equals(await chart('dark', 'light'))).toBe(false);
    const scales = `[...document.querySelectorAll('main img')].map((each) => each.width / each.naturalWidth)`;
    expect(Math.min(...(await page.evaluate<number[]>(scales)))).toBeGreaterThan(0.6);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['hibernation', 'guides/objects#hibernation'],
    ['zod', 'guides/access'],
    ['OUTCOME_UNKNOWN', 'guides/delivery#after-outcome_unknown'],
  ])('finds %s first where it is explained', async (word, path) => {
    const [page, complaints] = await open('guides/getting-started');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('#localsearch-input').fill(word);
    const result = page.locator('.VPLocalSearchBox .results .result').first();
    await expect.poll(() => result.getAttribute('href'), { timeout: 10_000 }).toContain(`/docs/${path}`);
    await result.click();
    await page.waitForURL((url) => url.href.startsWith(address(path)));
    await expect
      .poll(async () => (await page.locator('main').textContent())?.toLowerCase(), { timeout: 10_000 })
      .toContain(word.toLowerCase());
    expect(complaints).toEqual([]);
  });

  test('runs what can be run, in the page and against its Worker', async () => {
    const ran = { programs: 0, kept: 0 };
    const [page, complaints] = await open('');
    for (const [place, { path, text }] of pages.entries()) {
      if (!text.includes('console.log(')) continue;
      await go(page, paths[place]);
      for (const [at, button] of (await page.getByRole('button', { name: 'Run', exact: true }).all()).entries()) {
        const block = button.locator('xpath=../preceding-sibling::*[1]//pre');
        const code = (await block.textContent())!;
        await button.click();
        const output = page.locator('.run-code').nth(at).locator('output');
        await output.waitFor();
        await page.locator('.run-code').nth(at).getByRole('button', { name: 'Run', exact: true }).waitFor();
        const printed = (await output.textContent())!;
        expect(await output.getAttribute('class'), `${path}: ${printed}`).toBe('');
        ran.programs++;
        if (text.includes(code) && promisedOutput(code).join('\n') === printed) ran.kept++;
      }
    }
    // Targets report what they throw, as some are made to.
    expect(complaints.filter((complaint) => !/ failed: \w*Error: /.test(complaint))).toEqual([]);
    const programs: Program[] = [];
    for (const { path, text } of pages) withButtons(path, text, programs);
    expect(ran.programs).toBe(programs.length);
    expect(ran.programs).toBeGreaterThan(15);
    // The others print objects in several lines, or what depends on the time.
    expect(ran.kept).toBeGreaterThan(ran.programs / 2);
  });

  test(`loads a guide with at most ${FIRST_LOAD_BYTES / 1000} kB`, async () => {
    for (const path of ['guides/getting-started', 'guides/react']) {
      const page = await browser.newPage();
      const responses: Response[] = [];
      page.on('response', (response) => void responses.push(response));
      await page.goto(address(path), { waitUntil: 'networkidle' });
      // What arrives from here on is not the first load, and its body may never come: the browser closes.
      page.removeAllListeners('response');
      const bodies = await Promise.all(responses.map((response) => response.body()));
      const bytes = bodies.reduce((sum, body) => sum + gzipSync(body).length, 0);
      expect(bytes, path).toBeLessThan(FIRST_LOAD_BYTES);
      await page.close();
    }
  });
});

const missing = FIREFOX.missing();
if (missing !== undefined) console.warn(`The site in Firefox skipped: ${missing}.`);

test.skipIf(missing !== undefined)('shows every page in Firefox without complaints', { timeout: 400_000 }, async () => {
  await using page = await FIREFOX.open();
  for (const path of paths) {
    await page.goto(address(path));
    await expect.poll(() => page.evaluate(IS_READY), { message: path }).toBe(true);
    expect(await page.evaluate(`document.querySelector('h1') !== null`), path).toBe(true);
  }
  expect(page.complaints).toEqual([]);
});

/** Returns the links of pages that lead nowhere on the site. */
async function deadLinks(found: ReadonlyMap<string, Found>): Promise<string[]> {
  const dead: string[] = [];
  const files = new Map<string, string>();
  for (const [path, { hrefs }] of found) {
    for (const href of hrefs) {
      if (!href.startsWith(server.pageUrl)) continue;
      const { pathname, hash } = new URL(href);
      if (pathname === '/') continue;
      const page = found.get(pathname.slice('/docs/'.length));
      const id = decodeURIComponent(hash.slice(1));
      if (page === undefined) files.set(pathname, path);
      else if (id !== '' && !page.ids.includes(id)) dead.push(`${path}: ${href}`);
    }
  }
  for (const [pathname, path] of files) {
    const { ok } = await fetch(new URL(pathname, server.pageUrl), { method: 'HEAD' });
    if (!ok) dead.push(`${path}: ${pathname}`);
  }
  return dead;
}
