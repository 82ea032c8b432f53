import type { BrowserPage } from '@lumenize/hosts/browser-page';
import { FIREFOX } from '@lumenize/hosts/firefox';
import { WEBKIT } from '@lumenize/hosts/webkit';
import { connect } from '@lumenize/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../../../examples/playground/page/values/examples.ts';
import { showValue } from '../../../../examples/playground/page/values/show-value.ts';
import type { RoomApi } from '../../../../examples/playground/src/room/room-api.ts';
import { makeWorkspace, type ServedCounter, serveCounter, type Workspace } from '../../../support/serve-counter.ts';

/** An expression for the button of a label; the page has no test tool in it. */
const BUTTON = (label: string) =>
  `[...document.querySelectorAll('button')].find(({ textContent }) => textContent.trim() === ${JSON.stringify(label)})`;
/** An expression for what the value lab says of a value that this library has carried. */
const VERDICT = `[...document.querySelectorAll('article')]
  .find((article) => article.querySelector('h2, h3')?.textContent === 'Lumenize RPC')?.querySelector('.verdict')?.textContent`;

describe.each([FIREFOX, WEBKIT])('the playground in $name', { timeout: 120_000 }, (host) => {
  const missing = host.missing();
  if (missing !== undefined) console.warn(`The playground in ${host.name} skipped: ${missing}.`);

  describe.skipIf(missing !== undefined)('', () => {
    let workspace: Workspace;
    let server: ServedCounter;
    let page: BrowserPage;

    beforeAll(async () => {
      workspace = await makeWorkspace();
      [server, page] = await Promise.all([serveCounter(workspace), host.open()]);
    }, 60_000);

    afterAll(async () => {
      await page?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
      await workspace?.[Symbol.asyncDispose]();
    }, 60_000);

    const become = (expression: string, value: unknown) =>
      expect.poll(() => page.evaluate(expression), { message: expression }).toEqual(value);
    const press = (label: string) => page.evaluate(`void ${BUTTON(label)}.click()`);

    test('counts, and shows what others count', async () => {
      await page.goto(`${server.pageUrl}#counter/engine`);
      const value = `document.querySelector('[aria-label="Value"]')?.textContent`;
      await become(value, '0');
      await press('+1');
      await become(value, '1');
      using elsewhere = connect<{ increment(): number }>(server.counterUrl('engine'));
      expect(await elsewhere.increment()).toBe(2);
      await become(value, '2');
      await press('Lose the next answer');
      await press('+1, once');
      await become(value, '3');
    });

    test('carries every example of a value', async () => {
      await page.evaluate(`void (location.hash = '#values/engine')`);
      for (const { label, expression } of EXAMPLES) {
        await become(`${BUTTON(label)} !== undefined`, true);
        await press(label);
        const value = showValue(new Function(`return (${expression})`)());
        await become(`document.querySelector('.sent')?.textContent`, value);
        await become(VERDICT, label === 'Class instance' ? 'Refused' : 'Arrived as it left');
      }
    });

    test('chats', async () => {
      await page.evaluate(`void (location.hash = '#chat/engine')`);
      await become(`document.querySelector('#chat-text')?.disabled`, false);
      await page.evaluate(`document.querySelector('#chat-text').value = 'Is anybody here?'`);
      await press('Say');
      const said = `[...document.querySelectorAll('.transcript p')].map(({ textContent }) => textContent)`;
      await become(said, [expect.stringContaining('Is anybody here?')]);
      using robin = connect<RoomApi>(server.url('/rpc/room/engine'), { token: 'Robin' });
      await robin.say('I am.');
      await become(said, [expect.anything(), expect.stringContaining('I am.')]);
    });

    test('has nothing to complain about', () => {
      expect('complaints' in page ? page.complaints : []).toEqual([]);
    });
  });
});
