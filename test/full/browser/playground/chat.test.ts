import { connect, type Stub } from '@lumenize/rpc';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RoomApi } from '../../../../examples/playground/src/room/room-api.ts';
import { chromiumPath, type OpenPlayground, openPlayground } from '../../../playground/open-playground.ts';

describe.skipIf(!chromiumPath)('the chat of the playground', { timeout: 120_000 }, () => {
  let playground: OpenPlayground;

  beforeAll(async () => {
    playground = await openPlayground();
  }, 60_000);

  afterAll(() => playground?.[Symbol.asyncDispose](), 60_000);

  /** A page in a room, under a name. */
  async function enter(room: string, name: string): Promise<{ page: Page; complaints: string[] }> {
    const tab = await playground.open(`#chat/${room}`);
    await rename(tab.page, name);
    return tab;
  }

  /** Somebody in a room who has no page. */
  function visit(room: string, name: string): Stub<RoomApi> {
    return connect<RoomApi>(playground.server.url(`/rpc/room/${room}`), { token: name });
  }

  test('carries what is said between two pages, as text and nothing else, and shows who is there', async () => {
    const heron = await enter('two', 'Heron');
    const wren = await enter('two', 'Wren');
    await isPresent(heron.page, 'Heron (you)', 'Wren');
    await isPresent(wren.page, 'Heron', 'Wren (you)');
    await say(heron.page, 'Is anybody here?');
    const markup = '<img src=x onerror="document.title=1"> & <b>bold</b>';
    await say(wren.page, markup);
    await hears(heron.page, markup);
    await hears(wren.page, 'Is anybody here?');
    expect(await heron.page.locator('.transcript :is(img, b)').allTextContents()).toEqual(['Heron', 'Wren']);

    await rename(wren.page, 'Swift');
    await isPresent(heron.page, 'Heron (you)', 'Swift');
    await say(wren.page, 'It is me.');
    await hears(heron.page, 'It is me.');
    expect(await heron.page.locator('.transcript b').last().textContent()).toBe('Swift');

    await wren.page.close();
    await isPresent(heron.page, 'Heron (you)');
    expect([...heron.complaints, ...wren.complaints]).toEqual([]);
  });

  test('brings what a page has missed while it slept, and marks it', async () => {
    const heron = await enter('sleep', 'Heron');
    const wren = await enter('sleep', 'Wren');
    await say(heron.page, 'Good night.');
    await press(heron.page, 'Put this page to sleep');
    await isPresent(wren.page, 'Wren (you)');
    await say(wren.page, 'Are you asleep?');
    await say(wren.page, 'You are.');
    expect(await heron.page.getByText('Are you asleep?').count()).toBe(0);
    expect(await heron.page.getByLabel('Say something').isDisabled()).toBe(true);
    await press(heron.page, 'Wake it up');
    await heron.page.getByText('2 messages while this page slept').waitFor();
    expect(await heron.page.locator('.transcript p').allTextContents()).toEqual([
      expect.stringContaining('Good night.'),
      '2 messages while this page slept',
      expect.stringContaining('Are you asleep?'),
      expect.stringContaining('You are.'),
    ]);
    await isPresent(wren.page, 'Heron', 'Wren (you)');
    expect([...heron.complaints, ...wren.complaints]).toEqual([]);
  });

  test('reads the room anew where more was missed than is retained', async () => {
    const { page } = await enter('long-sleep', 'Heron');
    await say(page, 'Good night.');
    await press(page, 'Put this page to sleep');
    using robin = visit('long-sleep', 'Robin');
    await Promise.all(Array.from({ length: 120 }, (_, each) => robin.say(`sheep ${each}`)));
    await press(page, 'Wake it up');
    await page.getByText('sheep 119', { exact: true }).waitFor();
    await page.getByText('sheep 90', { exact: true }).first().waitFor();
  });

  test('keeps what was said, for who comes later, and gives it a page at a time', async () => {
    using robin = visit('history', 'Robin');
    await Promise.all(Array.from({ length: 40 }, (_, each) => robin.say(`line ${each}`)));
    const { page } = await playground.open('#chat/history');
    await page.getByText('line 39', { exact: true }).waitFor();
    expect(await page.getByText('line 9', { exact: true }).count()).toBe(0);
    await press(page, 'Earlier');
    await page.getByText('line 0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Earlier' }).waitFor({ state: 'hidden' });
    expect(await page.locator('.line').count()).toBe(40);
  });

  test('has rooms by their address', async () => {
    using robin = visit('garden path', 'Robin');
    await robin.say('Mind the roses.');
    const { page } = await playground.open('#chat');
    await page.getByText('Nothing has been said here yet.').waitFor();
    await page.getByLabel('Another room').fill('garden path');
    await page.keyboard.press('Enter');
    await hears(page, 'Mind the roses.');
    expect(new URL(page.url()).hash).toBe('#chat/garden%20path');
    await page.goBack();
    await page.getByText('Nothing has been said here yet.').waitFor();
  });

  test('refuses names that cannot be shown, and messages that are none', async () => {
    using robin = visit('manners', 'Robin');
    await expect(robin.say('  ')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(robin.say('a'.repeat(1001))).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(robin.say({} as string)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    await expect(robin.earlier('1' as unknown as number)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    for (const name of ['', 'a'.repeat(31), 'Robin\u202e', 'Ro\u0000bin']) {
      using nobody = visit('manners', name);
      await expect(nobody.enter(), JSON.stringify(name)).rejects.toMatchObject({ code: 'DENIED' });
    }
  });
});

function press(page: Page, button: string): Promise<void> {
  return page.getByRole('button', { name: button, exact: true }).click();
}

async function rename(page: Page, name: string): Promise<void> {
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.getByLabel('Your name').fill(name);
  await press(page, 'Take it');
  await page.getByText(`${name} (you)`).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Say something').fill(text);
  await page.keyboard.press('Enter');
  await hears(page, text);
}

function hears(page: Page, text: string): Promise<void> {
  return page.locator('.transcript').getByText(text, { exact: true }).waitFor();
}

/** Resolves when just these are there. */
async function isPresent(page: Page, ...names: string[]): Promise<void> {
  const list = page.getByRole('list', { name: 'Here now' });
  await expect.poll(() => list.locator('li').allTextContents()).toEqual(names);
}
