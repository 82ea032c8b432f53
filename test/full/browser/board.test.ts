import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { GuardedProcess } from '@lumenize/hosts/guarded-process';
import { executable } from '@lumenize/hosts/installed';
import { wranglerEnvironment } from '@lumenize/hosts/wrangler-dev';
import { connect } from '@lumenize/rpc';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SOURCE_CONDITIONS } from '../../support/conditions.ts';
import { projectFolder } from '../../support/serve-counter.ts';

const EXAMPLE = join(projectFolder, 'examples/board');

const executablePath = findChromium();
if (!executablePath) console.warn('The board skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

/** Serves the example as `npm run dev` does, from the packages' sources. */
async function serveBoard(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-board-'));
  const assets = join(folder, 'assets');
  await cp(join(EXAMPLE, 'public'), assets, { recursive: true });
  await build({
    entryPoints: [join(EXAMPLE, 'page/main.tsx')],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    conditions: SOURCE_CONDITIONS,
    define: { 'process.env.NODE_ENV': '"development"' },
    outdir: join(assets, 'built'),
  });
  const wrangler = [
    ...[executable('wrangler'), 'dev', '--config', join(EXAMPLE, 'wrangler.toml'), '--assets', assets],
    ...['--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0', '--persist-to', join(folder, 'state')],
    ...['--show-interactive-dev-session=false', '--var', 'SESSION_SECRET:a secret of this test and nobody else'],
  ];
  const env = {
    ...wranglerEnvironment(folder),
    WRANGLER_BUILD_CONDITIONS: [...SOURCE_CONDITIONS, 'workerd', 'worker', 'browser'].join(),
  };
  const server = new GuardedProcess(folder, process.execPath, wrangler, { cwd: projectFolder, env });
  const [, url] = await server.find(/Ready on (http:\/\/127\.0\.0\.1:\d+)/, 60_000);
  return { url, stop: () => server.stop() };
}

describe.skipIf(!executablePath)('the example of a board', { timeout: 120_000 }, () => {
  let server: Awaited<ReturnType<typeof serveBoard>>;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    [server, browser] = await Promise.all([serveBoard(), launchChromium()]);
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  }, 60_000);

  /** A page of somebody who has signed in. */
  async function enter(board: string, name: string): Promise<Page> {
    const page = await browser.newPage();
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      // Chromium itself says of every answer with a status of 400 or more.
      const isOwn = ['error', 'warning'].includes(message.type()) && !/Failed to load resource/.test(message.text());
      if (isOwn) complaints.push(message.text());
    });
    await page.goto(`${server.url}/#${board}`);
    await signIn(page, name);
    await page.getByRole('heading', { name: 'To do' }).waitFor();
    return page;
  }

  async function signIn(page: Page, name: string, password = `the password of ${name}`): Promise<void> {
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function add(page: Page, title: string): Promise<void> {
    await page.getByLabel('A new card').fill(title);
    await page.getByRole('button', { name: 'Add' }).click();
  }

  const card = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title });
  const inColumn = (page: Page, column: string) =>
    page.getByRole('region', { name: column }).getByRole('listitem').locator('p');

  test('lets in who knows the password of a name, remembers them, and nobody else', async () => {
    const ada = await enter('doors', 'Ada');
    await ada.reload();
    await ada.getByText('Ada Sign out').waitFor();
    await ada.getByRole('button', { name: 'Sign out' }).click();
    await signIn(ada, 'Ada', 'another password');
    await ada.getByRole('alert').filter({ hasText: 'another password' }).waitFor();
    await signIn(ada, 'Ada', 'short');
    await ada.getByRole('alert').filter({ hasText: 'at least 8' }).waitFor();
    await signIn(ada, 'Ada');
    await ada.getByText('Ada Sign out').waitFor();

    using stranger = connect<{ load(): unknown }>(`${server.url.replace('http', 'ws')}/rpc/board/doors`);
    await expect(stranger.load()).rejects.toMatchObject({ code: 'DENIED' });
    using account = connect<{ admits(password: string): unknown }>(
      `${server.url.replace('http', 'ws')}/rpc/account/Ada`,
    );
    await expect(account.admits('')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('shows what one does to all, and keeps what another is typing', async () => {
    const ada = await enter('shared', 'Ada');
    const eve = await enter('shared', 'Eve');
    await eve.getByLabel('A new card').fill('half a sent');
    await add(ada, 'Water the plants');
    await card(eve, 'Water the plants').getByRole('combobox').selectOption('Doing');
    await expect.poll(() => inColumn(ada, 'Doing').allTextContents()).toEqual(['Water the plants']);
    expect(await eve.getByLabel('A new card').inputValue()).toBe('half a sent');

    await card(eve, 'Water the plants').getByRole('button', { name: 'Remove' }).click();
    await eve.getByRole('alert').filter({ hasText: 'Only Ada can remove this card' }).waitFor();
    expect(await inColumn(eve, 'Doing').allTextContents()).toEqual(['Water the plants']);
    await card(ada, 'Water the plants').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => inColumn(eve, 'Doing').allTextContents()).toEqual([]);
  });

  test('shows a card before it is answered, and in every frame from then on', async () => {
    const page = await enter('frames', 'Ada');
    await page.evaluate(`(() => {
      globalThis.shown = [];
      const titles = () => [...document.querySelectorAll('li p')].map(({ textContent }) => textContent).join();
      new MutationObserver(() => shown.at(-1) !== titles() && shown.push(titles()))
        .observe(document.body, { childList: true, subtree: true, characterData: true });
    })()`);
    const titles = Array.from({ length: 20 }, (_, number) => `card ${number}.`);
    for (const title of titles) {
      await add(page, title);
      await card(page, title).waitFor();
    }
    expect(await page.evaluate('shown')).toEqual(titles.map((_, last) => titles.slice(0, last + 1).join()));

    const eve = await enter('frames', 'Eve');
    // What the page sends from now on does not leave it, until `release`.
    await page.evaluate(`(() => {
      const { send } = WebSocket.prototype;
      const held = [];
      WebSocket.prototype.send = function (...message) { held.push(() => send.apply(this, message)); };
      globalThis.release = () => { WebSocket.prototype.send = send; for (const each of held) each(); };
    })()`);
    await add(page, 'not sent yet');
    await card(page, 'not sent yet').waitFor();
    expect(await inColumn(eve, 'To do').allTextContents()).toEqual(titles);
    await page.evaluate('release()');
    await card(eve, 'not sent yet').waitFor();
    await page.reload();
    await expect.poll(() => inColumn(page, 'To do').allTextContents()).toEqual([...titles, 'not sent yet']);
  });

  test('takes a picture as a stream, shows it to all, and refuses what is too large', async () => {
    const ada = await enter('pictures', 'Ada');
    const eve = await enter('pictures', 'Eve');
    await add(ada, 'A square');
    const drawn = await ada.evaluate(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 16 });
      return canvas.toDataURL('image/png').split(',')[1];
    });
    const file = { name: 'square.png', mimeType: 'image/png', buffer: Buffer.from(drawn, 'base64') };
    await card(ada, 'A square').getByLabel('Picture').setInputFiles(file);
    const image = card(eve, 'A square').getByRole('img');
    await image.waitFor();
    await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(16);

    const large = { ...file, buffer: Buffer.alloc(3_000_000) };
    await card(ada, 'A square').getByLabel('Picture').setInputFiles(large);
    await ada.getByRole('alert').filter({ hasText: 'at most 1 MB' }).waitFor();
    expect(await image.count()).toBe(1);
  });

  test('has nothing to complain about', () => {
    expect(complaints).toEqual([]);
  });
});
