import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, type OpenPlayground, openPlayground } from '../../../playground/open-playground.ts';
import { serveCounter } from '../../../support/serve-counter.ts';

describe.skipIf(!chromiumPath)('the counter of the playground', { timeout: 120_000 }, () => {
  let playground: OpenPlayground;

  beforeAll(async () => {
    playground = await openPlayground();
  }, 60_000);

  afterAll(() => playground?.[Symbol.asyncDispose](), 60_000);

  test('moves in two tabs at once, keeps its value over a reload and leaves the console empty', async () => {
    const first = await playground.open('#counter/two-tabs');
    const second = await playground.open('#counter/two-tabs');
    await shows(second.page, '0');
    await press(first.page, '+1');
    await shows(first.page, '1');
    await shows(second.page, '1');
    await press(second.page, '+1, once');
    await shows(first.page, '2');
    await first.page.reload();
    await shows(first.page, '2');
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  test('makes a hundred calls of one turn in one frame', async () => {
    const { page } = await playground.open('#counter/one-turn');
    await shows(page, '0');
    await press(page, '+100');
    await shows(page, '100');
    expect(await stepsOf(page, 'answered: 100')).toEqual([
      expect.stringMatching(/^sent in one frame/),
      'answered: 100',
    ]);
  });

  test('says of each call what became of it when its answer was lost', async () => {
    const { page, complaints } = await playground.open('#counter/lost-answers');
    await shows(page, '0');
    const lost = [expect.stringMatching(/^sent in one frame/), 'its answer got lost, with the connection'];
    const again = 'sent again over a new connection';

    await press(page, 'Lose the next answer');
    await press(page, '+1');
    const unknown = await stepsOf(page, 'OUTCOME_UNKNOWN');
    expect(unknown).toEqual([...lost, again, expect.stringContaining('may have run')]);
    await shows(page, '1');

    await press(page, 'Lose the next answer');
    await press(page, '+1, once');
    expect(await stepsOf(page, 'run once')).toEqual([...lost, again, 'answered: 2, and has run once']);
    await shows(page, '2');

    await press(page, 'Lose the next answer');
    await press(page, 'Read');
    expect(await stepsOf(page, /answered: 2$/)).toEqual([...lost, again, 'answered: 2']);
    expect(complaints).toEqual([]);
  });

  test('loses its socket when the cable is unplugged, has calls wait, and makes up for it afterwards', async () => {
    const { page, complaints } = await playground.open('#counter/cut');
    const elsewhere = await playground.open('#counter/cut');
    await shows(page, '0');
    const closed = socketsClosed(elsewhere.page);
    await elsewhere.page.reload();
    await shows(elsewhere.page, '0');
    await plug(elsewhere.page, false);
    await closed;
    await elsewhere.page.getByText('Connection lost').waitFor();
    await press(elsewhere.page, '+1');
    await elsewhere.page.getByText('waits for a connection').waitFor();
    await press(page, '+100');
    await shows(page, '100');
    await shows(elsewhere.page, '0');
    await plug(elsewhere.page, true);
    await shows(elsewhere.page, '101');
    await shows(page, '101');
    expect(await stepsOf(elsewhere.page, 'answered: 101')).toEqual([
      'waits for a connection',
      expect.stringMatching(/^sent in one frame/),
      'answered: 101',
    ]);
    expect([...complaints, ...elsewhere.complaints]).toEqual([]);
  });

  test('says that a call was never sent where the cable was out for too long, and follows its value again after that', async () => {
    const { page } = await playground.open('#counter/too-long');
    const elsewhere = await playground.open('#counter/too-long');
    await shows(page, '0');
    await page.clock.install();
    await plug(page, false);
    await press(page, '+1');
    await page.getByText('waits for a connection').waitFor();
    await page.clock.runFor(11_000);
    await page.getByText('NOT_EXECUTED').waitFor();
    await press(elsewhere.page, '+1');
    await plug(page, true);
    await shows(page, '1');
  });

  test('says what to do while the server is away, and counts on when it is back', async () => {
    const { page } = await playground.open('#counter/away');
    await press(page, '+1');
    await shows(page, '1');
    const { server, workspace } = playground;
    await server.stop();
    await page.getByRole('alert').filter({ hasText: 'npm start' }).waitFor();
    playground.server = await serveCounter(workspace, server.port);
    // As a browser says it whose network is back: the page does not wait for its next attempt.
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.getByText('Connected', { exact: true }).waitFor();
    await press(page, '+1');
    await shows(page, '2');
    await page.getByText('npm start').waitFor({ state: 'hidden' });
  });
});

function press(page: Page, button: string): Promise<void> {
  return page.getByRole('button', { name: button, exact: true }).click();
}

function plug(page: Page, isIn: boolean): Promise<void> {
  return page.getByRole('switch', { name: 'Cable plugged in' }).setChecked(isIn);
}

/** Resolves when the page shows exactly this value. */
function shows(page: Page, value: string): Promise<void> {
  return page
    .getByLabel('Value')
    .filter({ hasText: new RegExp(`^${value}$`) })
    .waitFor();
}

/** What has become of the newest call, once that has a step that says so. */
async function stepsOf(page: Page, last: string | RegExp): Promise<string[]> {
  const steps = page.getByRole('list', { name: 'What became of each call' }).locator('> li').first().locator('li');
  await steps.filter({ hasText: last }).waitFor();
  return steps.locator('.step-text').allTextContents();
}

/** Resolves when the next socket that the page opens is closed. */
function socketsClosed(page: Page): Promise<void> {
  return new Promise((resolve) => page.once('websocket', (socket) => socket.once('close', () => resolve())));
}
