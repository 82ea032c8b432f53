import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { connect } from '@lumenize/rpc';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleComponents } from '../../frameworks/bundle.ts';
import { openPage, type ScriptedPage } from '../../react/react-page.ts';
import type { RoomApi } from '../../react/room-api.ts';
import { projectFolder } from '../../support/serve-counter.ts';
import { readWorker, type ServedWorker, serveWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('Frameworks in a browser skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url).href);
let worker: ServedWorker;
let browser: Browser;
let instance = 0;

describe.skipIf(!executablePath)('components', () => {
  beforeAll(async () => {
    [worker, browser] = await Promise.all([
      readWorker(path('react/worker/wrangler.toml')).then((read) => serveWorker(read)),
      launchChromium(),
    ]);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await worker?.[Symbol.asyncDispose]();
  }, 60_000);

  describe.each([
    ['react', 'tsx'],
    ['vue', 'ts'],
    ['svelte', 'ts'],
    ['solid', 'tsx'],
  ])('of %s', (framework, extension) => {
    const entry = (name: string) => path(`frameworks/${framework}/${name}.${extension}`);
    let script: string;
    let opened: ScriptedPage;

    beforeAll(async () => {
      script = await bundleComponents(framework, entry('page'), 'page');
    }, 60_000);

    afterEach(async () => {
      await opened.page.close();
      expect(opened.complaints).toEqual([]);
    });

    /** A new page, and the path of a new room. */
    async function open(html?: string): Promise<{ url: string; room: ReturnType<typeof connect<RoomApi>> }> {
      opened = await openPage(browser, worker, script, html);
      const url = `/rpc/room/${framework}-${++instance}`;
      return { url, room: connect<RoomApi>(worker.url(url)) };
    }

    function render(component: string, props: object): Promise<void> {
      return opened.evaluate(`app.render('${component}', ${JSON.stringify(props)})`);
    }

    const shows = (selector: string, text: string | RegExp) =>
      opened.page.locator(selector).filter({ hasText: text }).waitFor();
    const isOpen = (count: number) => opened.page.waitForFunction(`app.open() === ${count}`);

    test('share a connection, which closes with the last of them', async () => {
      const { url, room } = await open();
      using _room = room;
      await room.say('before');
      await render('Rooms', { url });
      await shows('#one[data-state=open] h1', 'untitled');
      await shows('#two output', 'guest: before');
      expect(await opened.evaluate('app.opened()')).toBe(1);
      await opened.page.click('#leave');
      await opened.page.locator('#two').waitFor({ state: 'detached' });
      await opened.page.click('#one .say');
      await shows('#one output', 'ada: hello');
      expect(await opened.evaluate('app.open()')).toBe(1);
      await opened.evaluate('app.unmount()');
      await isOpen(0);
      await expect.poll(() => room.connections()).toBe(1);
      expect(await opened.evaluate('app.opened()')).toBe(1);
    });

    test('share a call, which each may make again, and show what a call throws', async () => {
      const { url, room } = await open();
      using _room = room;
      await render('Rooms', { url });
      await shows('#one h1', 'untitled');
      await shows('#one em', 'RangeError: nobody has named it');
      await shows('#one h2', 'none');
      await opened.page.click('#two .rename');
      await shows('#one h1', 'Garden');
      await shows('#two h1', 'Garden');
    });

    test('show all messages, also those of while the connection was lost', async () => {
      const { url, room } = await open();
      using _room = room;
      await render('Rooms', { url });
      await shows('#one[data-state=open] h1', 'untitled');
      await room.say('one');
      await shows('#one li', 'guest: one');
      await worker.kill();
      await opened.page.locator('#one[data-state=reconnecting]').waitFor();
      await worker.restart();
      await room.say('two');
      await opened.page.locator('#one[data-state=open]').waitFor();
      await shows('#one output', 'guest: two');
      expect(await opened.page.locator('#one li').allTextContents()).toEqual(['guest: one', 'guest: two']);
      expect(await opened.page.locator('#one').getAttribute('data-missed')).toBe('0');
    });

    test('are told of messages that are gone', async () => {
      const { url, room } = await open();
      using _room = room;
      for (let index = 0; index < 12; index++) room.say('so many');
      await room.say('last');
      await render('Rooms', { url });
      await shows('#one output', 'guest: last');
      expect(await opened.page.locator('#one li').first().textContent()).toBe('a gap');
      expect(await opened.page.locator('#one').getAttribute('data-missed')).toBe('3');
    });

    test('show an event before the call that published it is answered', async () => {
      const { url, room } = await open();
      using _room = room;
      await render('Rooms', { url });
      await room.say('first');
      await shows('#one output', 'guest: first');
      await opened.evaluate('app.shownAtAnswers.length = 0');
      for (let count = 2; count <= 11; count++) {
        await opened.page.click('#one .say');
        await opened.page.waitForFunction(`app.shownAtAnswers.length === ${count - 1}`);
      }
      const shown = Array.from({ length: 10 }, (_, place) => place + 2);
      expect(await opened.evaluate('app.shownAtAnswers')).toEqual(shown);
    });

    test('call and subscribe anew for another key', async () => {
      const { url, room } = await open();
      using _room = room;
      await room.say('first');
      await room.say('second');
      await render('Doubled', { url });
      await shows('#next', '2 guest: second');
      await opened.page.click('#next');
      await shows('#next', '4 undefined');
      await room.say('third');
      await shows('#next', '4 guest: third');
    });

    test('that are unmounted let their calls settle', async () => {
      const { url } = await open();
      const outcome = opened.evaluate(`app.told('Slow', { url: '${url}' })`);
      await opened.page.click('#slow');
      await isOpen(1);
      await opened.evaluate('app.unmount()');
      expect(await outcome).toBe(1);
      await isOpen(0);
    });

    test('take over what a server has rendered, where they connected to nothing', async () => {
      const props = { url: `/rpc/room/${framework}-${instance + 1}` };
      const html = await renderOnServer(framework, entry('server'), props);
      const { room } = await open(html);
      using _room = room;
      await shows('#one[data-state=idle] h1', '…');
      await shows('#two h2', 'none');
      await room.rename('from the room');
      await opened.evaluate(`app.hydrate('Rooms', ${JSON.stringify(props)})`);
      await shows('#one[data-state=open] h1', 'from the room');
      await shows('#two h2', 'from the room');
      expect(await opened.page.locator('section').count()).toBe(2);
      await opened.page.click('#one .say');
      await shows('#two output', 'ada: hello');
    });
  });
});

/** Renders components as a server does, without a `window`. */
async function renderOnServer(framework: string, entry: string, props: object): Promise<string> {
  const folder = join(projectFolder, 'test/dist', `server-${framework}`);
  await mkdir(folder, { recursive: true });
  try {
    const file = join(folder, 'server.mjs');
    await writeFile(file, await bundleComponents(framework, entry, 'server'));
    const { render } = await import(pathToFileURL(file).href);
    return await render(props);
  } finally {
    await rm(folder, { recursive: true });
  }
}
