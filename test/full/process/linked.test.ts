import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Host } from '@lumenize/hosts/host';
import { LinkedHost } from '@lumenize/hosts/linked';
import { LINKS } from '@lumenize/hosts/links/link';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const TIMEOUT_MS = 30_000;

const isReached = (url: string) =>
  fetch(url).then(
    (response) => response.ok,
    () => false,
  );

describe('LinkedHost', () => {
  let server: ReturnType<typeof createServer>;
  let url: string;
  beforeEach(async () => {
    server = createServer((_, response) => response.end('here'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('puts a link in front of a server, says where the server is without it, and stops both', async () => {
    const stop = vi.fn(async () => {});
    const host: Host = { name: 'workerd', start: async () => ({ url, stop }) };
    const linked = new LinkedHost(host, 'far');
    expect(linked.name).toBe('workerd-far');
    const running = await linked.start();
    expect(running.directUrl).toBe(url);

    const begun = performance.now();
    expect(await (await fetch(running.url)).text()).toBe('here');
    // The handshake and the request.
    expect(performance.now() - begun).toBeGreaterThan(2 * LINKS.far.rttMs - 1);
    await running.stop();
    expect(stop).toHaveBeenCalledOnce();
    expect(await isReached(running.url)).toBe(false);
  });

  it('leaves no proxy behind when the process that started it is killed', async () => {
    const source = new URL('../../../packages/hosts/src/linked.ts', import.meta.url).href;
    const program = `
      const { LinkedHost } = await import(${JSON.stringify(source)});
      const host = { name: 'workerd', start: async () => ({ url: ${JSON.stringify(url)}, stop: async () => {} }) };
      console.log((await new LinkedHost(host, 'lan').start()).url);
    `;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program]);
    const [line] = (await once(starter.stdout.setEncoding('utf8'), 'data')) as [string];
    expect(await isReached(line.trim())).toBe(true);
    starter.kill('SIGKILL');
    await vi.waitFor(async () => expect(await isReached(line.trim())).toBe(false), { timeout: TIMEOUT_MS });
  });
});
