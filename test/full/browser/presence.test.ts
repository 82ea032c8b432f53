import { fileURLToPath } from 'node:url';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { connect, connection } from '@lumenize/rpc';
import { type PresenceTarget, presenceStore } from '@lumenize/state/presence';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundlePage, openPage, type ScriptedPage } from '../../react/react-page.ts';
import { type ServedWorker, serveTestWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('Presence in a browser skipped: no Chromium on PATH.');

interface Shown {
  name: string;
  cursor: { x: number; y: number };
}

describe.skipIf(!executablePath)('a page in Chromium, in StrictMode', () => {
  let worker: ServedWorker;
  let browser: Browser;
  let script: string;
  let opened: ScriptedPage;

  beforeAll(async () => {
    const page = fileURLToPath(new URL('../../presence/page.tsx', import.meta.url));
    [worker, browser, script] = await Promise.all([serveTestWorker(), launchChromium(), bundlePage(page)]);
  }, 60_000);

  afterEach(async () => {
    await opened.page.close();
    expect(opened.complaints).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await worker?.[Symbol.asyncDispose]();
  }, 60_000);

  /** Another member of a room. */
  function watch(room: string) {
    const stub = connect<{ readonly presence: PresenceTarget<Shown> }>(worker.url(`/rooms/room/${room}`));
    onTestFinished(() => connection(stub).close());
    const store = presenceStore(stub.presence);
    store.set({ name: 'Bob', cursor: { x: 5, y: 5 } });
    return store;
  }

  test('is one member with all of its components, and leaves with the last of them', async () => {
    const bob = watch('page');
    opened = await openPage(browser, worker, script);
    await opened.evaluate("app.render('/rooms/room/page', 'Ada')");
    await expect.poll(() => opened.page.locator('ul').allTextContents()).toEqual(['AdaBob at 5', 'AdaBob at 5']);
    await expect.poll(() => bob.get().others.map(({ name }) => name)).toEqual(['Ada']);
    await opened.page.locator('li').first().hover();
    await expect.poll(() => bob.get().others[0].cursor?.x).toBeGreaterThan(0);
    bob.set({ cursor: { x: 6, y: 6 } });
    await opened.page.locator('li').filter({ hasText: 'Bob at 6' }).first().waitFor();
    await opened.evaluate('app.unmount()');
    await expect.poll(() => bob.get().others).toEqual([]);
    expect(await opened.evaluate('app.state()')).toBe('open');
  });

  test('begins with what a server has rendered', async () => {
    const bob = watch('rendered');
    const html = '<ul><li>nobody</li></ul><ul><li>nobody</li></ul>';
    opened = await openPage(browser, worker, script, html);
    await opened.evaluate("app.render('/rooms/room/rendered', 'Ada', true)");
    await expect.poll(() => opened.page.locator('ul').allTextContents()).toEqual(['AdaBob at 5', 'AdaBob at 5']);
    await expect.poll(() => bob.get().others.length).toBe(1);
  });

  test('is gone at once when it is closed', async () => {
    const bob = watch('closed');
    opened = await openPage(browser, worker, script);
    await opened.evaluate("app.render('/rooms/room/closed', 'Ada')");
    await expect.poll(() => bob.get().others.length).toBe(1);
    await opened.page.close();
    await expect.poll(() => bob.get().others, { timeout: 1000 }).toEqual([]);
  });

  test('uploads a file', async () => {
    opened = await openPage(browser, worker, script);
    await opened.evaluate("app.render('/rooms/room/uploaded?user=ada', 'Ada')");
    const { id, progress } = await opened.evaluate<{ id: string; progress: number[] }>('app.upload(2000000)');
    expect(progress).toEqual([0, 524_288, 1_048_576, 1_572_864, 2_000_000]);
    const response = await fetch(`http://127.0.0.1:${worker.port}/rooms/room/uploaded/files/${id}`);
    expect(new Set(new Uint8Array(await response.arrayBuffer()))).toEqual(new Set([7]));
  });
});
