import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type OpenPlayground, openPlayground } from '../../../playground/open-playground.ts';

const SECTIONS = ['Counter', 'Race', 'Values', 'Chat', 'Inspector'];

/** What axe looks for: in the dark all is as in the light, but for the colours. */
const RULES = { light: '', dark: `{ runOnly: ['color-contrast'] }` };

/** How much of the names of sections is out of sight. */
const HIDDEN_WIDTH = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('nav ol'))`;

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

describe.skipIf(!chromiumPath)('the page of the playground', { timeout: 180_000 }, () => {
  let playground: OpenPlayground;

  beforeAll(async () => {
    playground = await openPlayground();
  }, 60_000);

  afterAll(() => playground?.[Symbol.asyncDispose](), 60_000);

  test('leads to its five sections, one at a time, and each has an address', async () => {
    const { page, complaints } = await playground.open('');
    for (const title of SECTIONS) {
      await go(page, title);
      expect(new URL(page.url()).hash).toBe(`#${title.toLowerCase()}`);
      await expect.poll(() => page.title()).toBe(`${title} · Lumenize RPC playground`);
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual([title]);
    }
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Chat' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('keeps a section as it is while another is in view', async () => {
    const { page } = await playground.open('#counter/kept');
    await page.getByRole('button', { name: '+1', exact: true }).click();
    await page.getByText('answered: 1').waitFor();
    await go(page, 'Chat');
    await go(page, 'Counter');
    await page.getByText('answered: 1').waitFor();
    expect(new URL(page.url()).hash).toBe('#counter/kept');
  });

  test.each(['light', 'dark'] as const)('has nothing that axe finds wrong, in %s colours', async (colorScheme) => {
    const { page, complaints } = await playground.open('#counter/axe', { colorScheme, reducedMotion: 'reduce' });
    const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    await page.evaluate(axe);
    for (const title of SECTIONS) {
      await go(page, title);
      await fill(page, title);
      const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(${RULES[colorScheme]})`);
      const found = violations.map(({ id, help, nodes }) => ({
        title,
        id,
        help,
        nodes: nodes.map(({ html }) => html),
      }));
      expect(found).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  test('is worked by keyboard alone, and shows where the focus is', async () => {
    const { page } = await playground.open('#counter/keyboard');
    await page.getByText('Connected', { exact: true }).waitFor();
    const stops: string[] = [];
    while (stops.at(-1) !== '+1') {
      await page.keyboard.press('Tab');
      const [text, outline] = await page.evaluate<[string, number]>(
        `[document.activeElement.textContent, parseFloat(getComputedStyle(document.activeElement).outlineWidth)]`,
      );
      expect(outline, text).toBeGreaterThanOrEqual(2);
      stops.push(text);
    }
    expect(stops).toEqual([...SECTIONS, '+1']);
    await page.keyboard.press('Enter');
    await page.getByText('answered: 1').waitFor();
    const cable = page.getByRole('switch', { name: 'Cable plugged in' });
    await cable.focus();
    await page.keyboard.press('Space');
    expect(await cable.getAttribute('aria-checked')).toBe('false');
  });

  test('says that it loads, until its script is there', async () => {
    const page = await playground.browser.newPage();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/main.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${playground.server.pageUrl}#counter/loading`, { waitUntil: 'commit' });
    const said = () => page.evaluate<string>(`getComputedStyle(document.getElementById('app'), '::before').content`);
    await expect.poll(said).toBe('"Loading …"');
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Counter' }).waitFor();
    expect(await said()).toBe('none');
    await page.close();
  });

  test('fits a small phone in every section', async () => {
    const { page } = await playground.open('#counter/phone', { viewport: { width: 320, height: 640 }, hasTouch: true });
    for (const title of SECTIONS) {
      await go(page, title);
      await fill(page, title);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), title).toBeLessThanOrEqual(320);
      expect(await page.evaluate<number>(HIDDEN_WIDTH), title).toBeLessThanOrEqual(0);
    }
  });
});

async function go(page: Page, title: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: title }).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** Has a section show more than it begins with. */
async function fill(page: Page, title: string): Promise<void> {
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  if (title === 'Counter') {
    await press('+100');
    await page.getByText('answered:').first().waitFor();
    await press('Lose the next answer');
    await press('+1');
    await page.getByText('OUTCOME_UNKNOWN:').first().waitFor();
  } else if (title === 'Chat') {
    await page.getByLabel('Say something').fill(`A word of ${'length '.repeat(8)} and o${'o'.repeat(80)}f breadth`);
    await page.keyboard.press('Enter');
    await page.locator('.line').first().waitFor();
  } else if (title === 'Race') {
    await press('Race');
    await page.locator('.ratio').waitFor();
    // To its end: it takes seconds, and may be over before it could be stopped.
    await page.getByRole('button', { name: 'Race again' }).waitFor();
  } else if (title === 'Values') {
    await press('Class instance');
    await page.getByText('instances of Customer').waitFor();
    await press('Rows');
    await page.locator('.frames .code').filter({ hasText: 'row 19' }).first().waitFor();
  } else if (title === 'Inspector') {
    await press('100 in a turn');
    await page.locator('tr.frame').first().getByRole('button').press('Enter');
    await page.locator('.details').waitFor();
  }
}
