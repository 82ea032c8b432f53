import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../../../examples/playground/page/values/examples.ts';
import { showValue } from '../../../../examples/playground/page/values/show-value.ts';
import { chromiumPath, type OpenPlayground, openPlayground } from '../../../playground/open-playground.ts';

describe.skipIf(!chromiumPath)('of the playground', { timeout: 120_000 }, () => {
  let playground: OpenPlayground;

  beforeAll(async () => {
    playground = await openPlayground();
  }, 60_000);

  afterAll(() => playground?.[Symbol.asyncDispose](), 60_000);

  describe('the race', () => {
    test('counts frames and bytes of both, goes on while another section is in view, and can be stopped and run again', async () => {
      const { page, complaints } = await playground.open('#race/browser');
      await page.getByLabel('100 writes in a turn').check();
      await press(page, 'Race');
      await go(page, 'Values');
      await page.locator('.ratio').waitFor({ state: 'attached' });
      await go(page, 'Race');
      await page.getByRole('button', { name: 'Race again' }).waitFor();
      expect(await page.getByRole('alert').allTextContents()).toEqual([]);
      await page.getByText('12 rounds', { exact: true }).waitFor();
      expect(await cells(page, 'Frames up a turn')).toEqual(['1', '300']);
      expect(await cells(page, 'Frames down a turn')).toEqual(['1', '100']);
      const charts = await page
        .getByRole('img')
        .evaluateAll((all) => all.map((chart) => chart.getAttribute('aria-label')));
      expect(charts.filter((label) => /^Lumenize RPC: [\d,.]+.*, Cap’n Web: [\d,.]+/.test(label ?? ''))).toHaveLength(
        2,
      );

      await page.getByLabel('A chain of three').check();
      expect(await page.getByRole('table').count()).toBe(0);
      const stopping = stopAfterRound(page);
      await press(page, 'Race');
      await stopping;
      await page.getByText(/^Stopped after \d+ of 12 rounds$/).waitFor();
      const [ours, theirs] = await cells(page, 'Frames up a turn');
      // Now and then garbage collection finds steps that nobody holds: the server is told in a frame beside those of turns.
      expect(ours).toMatch(/^1(\.0\d)?$/);
      expect(theirs).toBe('5');
      expect(complaints).toEqual([]);
    });
  });

  test('the race ends, and says so, where what races cannot be loaded', async () => {
    const { page } = await playground.open('#counter/no-race');
    await page.route('**/race-worker.js', (route) => route.abort());
    await go(page, 'Race');
    await press(page, 'Race');
    await page.getByRole('alert').filter({ hasText: 'The race ended early: its Worker could not be loaded' }).waitFor();
    await page.getByRole('button', { name: 'Race', exact: true }).waitFor();
  });

  describe('the value lab', () => {
    const way = (page: Page, name: string) =>
      page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
    const send = async (page: Page, expression: string) => {
      await page.getByLabel('A JavaScript expression').fill(expression);
      await page.getByLabel('A JavaScript expression').press('Control+Enter');
    };

    test('brings back every example as it left but the one that is refused by name', async () => {
      const { page, complaints } = await playground.open('#values');
      for (const { label, expression } of EXAMPLES) {
        await press(page, label);
        await expectText(page.locator('.sent'), showValue(new Function(`return (${expression})`)()));
        const verdict = label === 'Class instance' ? 'Refused' : 'Arrived as it left';
        await expectText(way(page, 'Lumenize RPC').locator('.verdict'), verdict, label);
      }
      await expectText(way(page, 'Lumenize RPC').locator('.said'), /argument 0\.order\[0\]\.by: instances of Customer/);
      expect(complaints).toEqual([]);
    });

    test('names what others lose of a value that was typed, and shows its frame', async () => {
      const { page, complaints } = await playground.open('#values');
      await send(page, "await Promise.resolve({ deep: [-0, new Map([['a', 1]])] })");
      await expectText(way(page, 'JSON').locator('.said'), /deep\[0\]: -0 became 0.*deep\[1\]: Map\(1\) became \{\}/);
      await expectText(way(page, 'Cap’n Web').locator('.verdict'), 'Refused');
      await expectText(way(page, 'structuredClone').locator('.verdict'), 'Arrived as it left');
      expect(await page.locator('.frames .code').first().textContent()).toContain(
        '[{"deep":[{"$number":"-0"},{"$Map":["a",1]}]}]',
      );
      expect(complaints).toEqual([]);
    });

    test('explains what is wrong with an expression, and goes on', async () => {
      const { page } = await playground.open('#values');
      const notice = page.locator('.values .notice');
      const explained = [
        ['{ a: 1', /SyntaxError.*has to be one expression/],
        ['nowhere.a', /ReferenceError: nowhere/],
        ["(() => { throw 'ink'; })()", /It threw "ink"/],
        // The page's policy allows none.
        ["eval('1')", /EvalError/],
        [' ', /Type an expression/],
      ] as const;
      for (const [expression, explanation] of explained) {
        await send(page, expression);
        await notice.filter({ hasText: explanation }).waitFor();
      }
      await send(page, '1 + 1');
      await notice.waitFor({ state: 'detached' });
    });

    test('says that it waits for what does not settle, takes another one meanwhile, and what settles late', async () => {
      const { page, complaints } = await playground.open('#values');
      const waiting = page.locator('.values .notice').filter({ hasText: 'has not settled yet' });
      await send(page, 'await new Promise(() => {})');
      await waiting.waitFor();
      await send(page, '1 + 1');
      await expectText(page.locator('.sent'), '2');
      await waiting.waitFor({ state: 'detached' });

      await send(page, 'await new Promise((resolve) => { globalThis.settle = resolve; })');
      await waiting.waitFor();
      await page.evaluate('globalThis.settle(3)');
      await expectText(page.locator('.sent'), '3');
      expect(complaints).toEqual([]);
    });
  });

  describe('the inspector', () => {
    test('shows the frames of all sections, filters, opens, pauses and clears them', async () => {
      const { page, complaints } = await playground.open('#values/seen');
      await page.getByText('Arrived as it left').first().waitFor();
      await go(page, 'Inspector');
      await press(page, 'Make a call');
      await row(page, 'getValue()').waitFor();
      await row(page, /echo\(/).waitFor();

      await page.getByRole('combobox', { name: 'Connection' }).selectOption('values/seen');
      const kinds = () => rows(page).locator('td:nth-child(4)').allTextContents();
      // Besides the call and its answer, the server tells a tag of the caller's identity.
      expect((await kinds()).toSorted()).toEqual(['answers', 'calls', 'signal']);
      await page.getByRole('combobox', { name: 'Way' }).selectOption('down');
      expect((await kinds()).toSorted()).toEqual(['answers', 'signal']);
      await page.getByRole('combobox', { name: 'Way' }).selectOption('');
      await page.getByRole('combobox', { name: 'Connection' }).selectOption('');
      await page.getByLabel('Filter').fill('GETVALUE');
      expect(await rows(page).count()).toBe(1);
      await page.getByLabel('Filter').fill('');

      const answered = row(page, /^1 = 0$/).first();
      await expectText(answered.locator('td').nth(5), /^[\d.]+ (ms|µs)$/);
      await answered.getByRole('button').focus();
      await page.keyboard.press('Enter');
      await expectText(page.locator('.details .code').nth(1), /^\[-1,0\]$/);

      await press(page, 'Pause');
      const before = await rows(page).count();
      await press(page, 'A wrong one');
      await press(page, 'Pause');
      await row(page, /METHOD_NOT_FOUND/).waitFor();
      expect(await rows(page).count()).toBe(before + 2);
      await press(page, 'Clear');
      await page.getByText('No frames. Make a call').waitFor();
      expect(complaints).toEqual([]);
    });
  });
});

function press(page: Page, button: string): Promise<void> {
  return page.getByRole('button', { name: button, exact: true }).click();
}

function go(page: Page, section: string): Promise<void> {
  return page.getByRole('navigation').getByRole('link', { name: section }).click();
}

function rows(page: Page): Locator {
  return page.locator('tr.frame');
}

function row(page: Page, contents: string | RegExp): Locator {
  return rows(page).filter({ has: page.locator('.contents', { hasText: contents }) });
}

/** Stops a race when it has shown a round. The page does it itself: a race may be over before a browser is told to. */
function stopAfterRound(page: Page): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector('.ratio') === null) return;
      observer.disconnect();
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Stop').click();
      resolve();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  })`);
}

/** What a row of the result says of both. */
function cells(page: Page, label: string): Promise<string[]> {
  return page.getByRole('row', { name: label }).getByRole('cell').allTextContents();
}

async function expectText(locator: Locator, text: string | RegExp, message?: string): Promise<void> {
  await locator
    .filter({ hasText: text })
    .first()
    .waitFor()
    .catch(async (cause) => {
      expect(await locator.allTextContents(), message).toContain(text);
      throw cause;
    });
}
