import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { connect } from '@lumenize/rpc';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { IdleTarget } from '../../hostile/idle-target.ts';
import { serveHostileWorker } from '../../hostile/serve.ts';
import type { ServedWorker } from '../../support/workerd.ts';

const executablePath = findChromium();
if (!executablePath) console.warn('Browser tests skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

describe.skipIf(!executablePath)('a page in a browser', { timeout: 60_000 }, () => {
  let worker: ServedWorker;
  let browser: Browser;
  /** Serves an empty page at an origin that is not the Worker's. */
  let elsewhere: Server;

  beforeAll(async () => {
    elsewhere = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end('<p>page'));
    [worker, browser] = await Promise.all([
      serveHostileWorker(),
      launchChromium(),
      once(elsewhere.listen(0, '127.0.0.1'), 'listening'),
    ]);
  }, 60_000);

  afterAll(async () => {
    elsewhere?.close();
    await browser?.close();
    await worker?.[Symbol.asyncDispose]();
  }, 60_000);

  /** Opens a socket in a page and tells what becomes of it: a message back for a frame, or how it was closed. */
  async function connectFrom(pageUrl: string, socketUrl: string): Promise<unknown> {
    const page = await browser.newPage();
    await page.goto(pageUrl);
    return page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket(${JSON.stringify(socketUrl)}, ['lumenize.rpc.3']);
      socket.onopen = () => socket.send('ping');
      socket.onmessage = ({ data }) => resolve(data);
      socket.onclose = ({ code, reason }) => resolve([code, reason]);
    })`);
  }

  test('of another origin is refused at the upgrade, and the object it asks for is never made', async () => {
    const { port } = elsewhere.address() as AddressInfo;
    const url = worker.url('/rpc/idle/asked-for');
    const refused = [4400, expect.stringMatching(/^DENIED: .*origin/)];
    expect(await connectFrom(`http://127.0.0.1:${port}/`, url)).toEqual(refused);
    expect(await connectFrom(`http://localhost:${worker.port}/`, url)).toEqual(refused);
    // Who is no page has no origin; the life that it begins is the first.
    using stub = connect<IdleTarget>(url);
    expect(await stub.lives()).toBe(1);
  });

  test('of the same origin is served', async () => {
    const url = worker.url('/rpc/idle/served');
    expect(await connectFrom(`http://127.0.0.1:${worker.port}/`, url)).toBe('pong');
  });
});
