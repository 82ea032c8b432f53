import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type FuzzSettings, PROPERTIES } from '../../../packages/structured-clone/test/properties.ts';
import { bundlePage } from '../../support/bundle-page.ts';

/** Checks a property in the page; returns what fast-check reports where it does not hold. */
export type BrowserProperties = (name: string, settings: FuzzSettings) => string | undefined;

const executablePath = findChromium();
if (!executablePath)
  console.warn('Properties in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

describe.skipIf(!executablePath)('in Chromium', { timeout: 60_000 }, () => {
  const settings = inject('fuzz');
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    console.log(`Properties in Chromium: FUZZ_SEED=${settings.seed} FUZZ_RUNS=${settings.runs}`);
    const content = await bundlePage('properties-page.ts');
    browser = await launchChromium();
    page = await browser.newPage();
    await page.addScriptTag({ content });
  }, 60_000);

  afterAll(() => browser?.close(), 60_000);

  test.each(PROPERTIES)('$name', async ({ name }) => {
    const failure = await page.evaluate<string | undefined>(
      `checkProperty(${JSON.stringify(name)}, ${JSON.stringify(settings)})`,
    );
    expect(failure).toBeUndefined();
  });
});
