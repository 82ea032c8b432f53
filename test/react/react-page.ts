import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { ServedWorker } from '../support/workerd.ts';

const ENTRY = fileURLToPath(new URL('page.tsx', import.meta.url).href);

/** Bundles a script with React as it is while one develops: with all of its warnings. */
export async function bundlePage(entry = ENTRY): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    jsx: 'automatic',
    conditions: ['@lumenize/source'],
    define: { 'process.env.NODE_ENV': '"development"' },
    target: 'es2022',
  });
  return outputFiles[0].text;
}

/** A page of a Worker's own origin, with a script, and all that it has to complain of. */
export interface ScriptedPage {
  readonly page: Page;
  readonly complaints: string[];
  evaluate<Value>(code: string): Promise<Value>;
}

/** Opens a page that consists of `html`, and runs a script in it. */
export async function openPage(
  browser: Browser,
  worker: ServedWorker,
  script: string,
  html = '',
): Promise<ScriptedPage> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser itself says of every socket that it could not open.
    const isOwn =
      message.type() === 'warning' || (message.type() === 'error' && !/ERR_|Failed to load/.test(message.text()));
    if (isOwn) complaints.push(message.text());
  });
  // The Worker's own answer, so that the page may connect to it: Chromium does not let pages connect that come from nowhere.
  await page.goto(`http://127.0.0.1:${worker.port}/page`);
  await page.evaluate(`document.body.innerHTML = ${JSON.stringify(`<div id="root">${html}</div>`)}`);
  await page.addScriptTag({ content: script });
  return { page, complaints, evaluate: (code) => page.evaluate(code) };
}
