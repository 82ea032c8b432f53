import { fileURLToPath } from 'node:url';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { connect } from '@lumenize/rpc';
import type { Browser } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ServedRoom } from '../../react/components.tsx';
import { bundlePage, openPage, type ScriptedPage } from '../../react/react-page.ts';
import type { RoomApi } from '../../react/room-api.ts';
import { readWorker, type ServedWorker, serveWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('React in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

const config = fileURLToPath(new URL('../../react/worker/wrangler.toml', import.meta.url).href);

// What all frameworks have in common is in frameworks.test.ts.
describe.skipIf(!executablePath)('components of React in Chromium, in StrictMode', () => {
  let worker: ServedWorker;
  let browser: Browser;
  let script: string;
  let opened: ScriptedPage;
  let instance = 0;

  beforeAll(async () => {
    [worker, browser, script] = await Promise.all([
      readWorker(config).then((read) => serveWorker(read)),
      launchChromium(),
      bundlePage(),
    ]);
  }, 60_000);

  afterEach(async () => {
    await opened.page.close();
    expect(opened.complaints).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await worker?.[Symbol.asyncDispose]();
  }, 60_000);

  /** A new page, and the path of a new room. */
  async function open(html?: string): Promise<{ url: string; room: ReturnType<typeof connect<RoomApi>> }> {
    opened = await openPage(browser, worker, script, html);
    const url = `/rpc/room/${++instance}`;
    return { url, room: connect<RoomApi>(worker.url(url)) };
  }

  function render(component: string, props: object): Promise<void> {
    return opened.evaluate(`app.render('${component}', ${JSON.stringify(props)})`);
  }

  const shows = (selector: string, text: string | RegExp) =>
    opened.page.locator(selector).filter({ hasText: text }).waitFor();
  const isOpen = (count: number) => opened.page.waitForFunction(`app.open() === ${count}`);

  test.each([true, false])(
    'make a call once for which they suspend, with a stub of their parent: %s',
    async (given) => {
      const { url, room } = await open();
      await render('Says', { url, given });
      await shows('#said', '1');
      expect(await room.say('by another')).toBe(2);
      room[Symbol.dispose]();
    },
  );

  test('may name stubs with options of each rendering, whose calls are made once', async () => {
    const { url, room } = await open();
    using _room = room;
    await room.say('hello');
    await render('LimitedRoom', { url });
    await shows('h1', 'untitled');
    await shows('output', 'guest: hello');
    expect(Number(await opened.page.locator('section').getAttribute('data-renderings'))).toBeLessThan(20);
    expect(await opened.evaluate('app.opened()')).toBe(1);
  });

  test('connect anew for another URL, and let go of the first', async () => {
    const { url, room } = await open();
    using _room = room;
    await render('Room', { url });
    await shows('h1', 'untitled');
    await room.rename('the first');
    await render('Room', { url: `${url}-other` });
    await render('Room', { url });
    await render('Room', { url: `${url}-other` });
    await shows('#room[data-state=open] h1', 'untitled');
    await isOpen(1);
    await expect.poll(() => room.connections()).toBe(1);
    expect(await opened.evaluate('app.opened()')).toBe(2);
  });

  test('that are hidden let go of the connection, and come back with what they have missed', async () => {
    const { url, room } = await open();
    using _room = room;
    await render('HiddenRoom', { url, isHidden: false });
    await shows('#room[data-state=open] h1', 'untitled');
    await room.say('seen');
    await shows('output', 'guest: seen');
    await render('HiddenRoom', { url, isHidden: true });
    await isOpen(0);
    await room.say('unseen');
    await render('HiddenRoom', { url, isHidden: false });
    await shows('output', 'guest: unseen');
    expect(await opened.page.locator('li').allTextContents()).toEqual(['guest: seen', 'guest: unseen']);
  });

  test('that are mounted together call in one frame', async () => {
    const { url } = await open();
    expect(await opened.evaluate(`app.told('FramesOfRoom', { url: '${url}' })`)).toBe(1);
  });

  test('call in actions, and show what that has changed, for all who show it', async () => {
    const { url, room } = await open();
    using _room = room;
    await render('TwoRooms', { url });
    await shows('#one h1', 'untitled');
    await opened.page.click('#one [type=submit]');
    await shows('#one em', 'RangeError: a room has a title');
    await opened.page.fill('#one input', 'Garden');
    await opened.page.click('#one [type=submit]');
    await shows('#one h1', 'Garden');
    await shows('#two h1', 'Garden');
    await opened.page.locator('#one em').filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
  });

  test('suspend, hand errors to a boundary, and keep what they show while it is loaded again', async () => {
    const { url, room } = await open();
    using _room = room;
    await render('SuspendedRoom', { url });
    await shows('#retry', 'nobody has named it');
    await room.rename('named');
    await opened.page.click('#retry');
    await shows('h2', 'named');
    await opened.evaluate(`new MutationObserver(() => {
      if (document.querySelector('#fallback')) app.problems.push('fell back');
    }).observe(document.body, { childList: true, subtree: true })`);
    await opened.page.click('#reload');
    await shows('h2', 'new');
    expect(await opened.evaluate('app.problems')).toEqual([]);
    expect(await opened.evaluate('app.opened()')).toBe(1);
    // React tells of every error that a boundary has caught.
    expect(opened.complaints.splice(0)).toEqual([expect.stringContaining('RangeError: nobody has named it')]);
  });

  test('keep stubs in state, properties and dependencies, which calls nothing', async () => {
    const { url, room } = await open();
    using _room = room;
    const kept = await opened.evaluate(`app.told('KeepsStub', { url: '${url}' })`);
    // In StrictMode the first of each runs twice.
    expect(kept).toMatchObject({ effects: 2, same: true, framesSent: 0 });
    expect(await opened.evaluate('app.opened()')).toBe(0);
  });

  test('take over what a server has rendered, without a warning', async () => {
    const props = { url: `/rpc/room/${instance + 1}`, initial: 'from the server' };
    const html = renderToString(createElement(ServedRoom, props));
    const { room } = await open(html);
    using _room = room;
    await shows('h3', 'from the server');
    await shows('h1', '…');
    await room.rename('from the room');
    await opened.evaluate(`app.hydrate('ServedRoom', ${JSON.stringify(props)})`);
    await shows('h1', 'from the room');
    await shows('h3', 'from the room');
    expect(await opened.evaluate('app.problems')).toEqual([]);
  });
});
