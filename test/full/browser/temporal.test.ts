import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundlePage } from '../../support/bundle-page.ts';
import type { TriedTemporal } from '../../support/temporal-page.ts';
import { TEMPORAL } from '../../support/temporal-values.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('Temporal in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

// Node and workerd do not have it yet.
describe.skipIf(!executablePath)('of Temporal, in Chromium', () => {
  let browser: Browser;
  let outcome: TriedTemporal;

  beforeAll(async () => {
    const content = await bundlePage('temporal-page.ts');
    browser = await launchChromium();
    const page = await browser.newPage();
    await page.addScriptTag({ content });
    outcome = await page.evaluate<TriedTemporal>('tryTemporal()');
  });
  afterAll(() => browser?.close());

  test.each(TEMPORAL.map(([what, type, , text], index) => ({ what, type, text, index })))(
    '$what arrives as it left, $type',
    ({ type, text, index }) => {
      expect(outcome.tried[index]).toMatchObject({
        text: JSON.stringify({ $: { $Temporal: [type, text] } }),
        same: true,
      });
    },
  );

  test('what no encoder wrote is malformed', () => {
    expect(outcome.hostile).toEqual(outcome.hostile.map(() => 'MALFORMED'));
  });

  test('it is refused where options say so, or where it has named properties', () => {
    expect(outcome).toMatchObject({ refused: 'NOT_CLONEABLE', named: 'NOT_CLONEABLE', bodies: 0 });
  });

  test('a time keeps its instant where the sides know other rules of its zone', () => {
    expect(outcome.otherRules).toBe('2024-06-01T03:00:00Z');
  });
});
