import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { connect } from '@lumenize/rpc';
import { expect, test } from 'vitest';

import { runWrangler } from '../../packed/serve.ts';
import type { RoomApi } from '../../react/room-api.ts';
import { projectFolder } from '../../support/serve-counter.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('SvelteKit skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

const run = promisify(execFile);
const example = join(projectFolder, 'examples/sveltekit');

test.skipIf(!executablePath)(
  'an application of SvelteKit builds, and answers by its objects',
  { timeout: 180_000 },
  async () => {
    await run(process.execPath, [join(projectFolder, 'node_modules/vite/bin/vite.js'), 'build'], { cwd: example });
    const { stdout } = await run(process.execPath, [
      join(projectFolder, 'node_modules/typescript/bin/tsc'),
      '-p',
      example,
    ]);
    expect(stdout).toBe('');
    const state = await mkdtemp(join(tmpdir(), 'lumenize-sveltekit-'));
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => rm(state, { recursive: true, force: true }));
    await using served = await runWrangler(example, ['wrangler.toml'], state);
    using room = connect<RoomApi>(`${served.url.replace('http', 'ws')}/rpc/room/lobby`);
    await room.rename('From the server');
    // What a server sends has the title already, from the object by its binding.
    const html = await (await fetch(`${served.url}/room/lobby`)).text();
    expect(html).toContain('>From the server</h1>');
    const browser = await launchChromium();
    cleanup.defer(() => browser.close());
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${served.url}/room/lobby`);
    const shows = (selector: string, hasText: string) => page.locator(selector).filter({ hasText }).waitFor();
    await shows('h1', 'From the server');
    await room.say('from elsewhere');
    await shows('li', 'from elsewhere');
    await page.fill('input', 'From the page');
    await page.click('#say');
    await shows('li', 'From the page');
    await page.click('#rename');
    await shows('h1', 'From the page');
    expect(await room.title()).toBe('From the page');
    expect(errors).toEqual([]);
  },
);
