import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeployedHost } from '@lumenize/hosts/deployed';
import { COUNTER_WORKER, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { describe, expect, it, onTestFinished } from 'vitest';
import { assertServed, deployedFamily } from '../src/families/deployed.ts';
import { REMOTE_SCENARIOS } from '../src/scenarios/all.ts';
import { measureQuickly } from './support/quickly.ts';
import { serve } from './support/serve.ts';

const TIMEOUT_MS = 120_000;
const SUBJECTS = ['lumenize', 'capnweb', 'raw'] as const;
const CHAIN = 'remote/chain-3';

describe('a deployed Worker', { timeout: TIMEOUT_MS }, () => {
  it('is measured in everything that it has, and told without its address', async () => {
    const url = await serve(COUNTER_WORKER);
    const family = await deployedFamily(`${url}/`);
    const { rows, timed, missing } = await measureQuickly(family);
    const names = REMOTE_SCENARIOS.map(({ name }) => name).filter((name) => name !== CHAIN);
    expect(timed).toEqual(names.flatMap((name) => SUBJECTS.map((subject) => `${name} ${subject}`)));
    expect(missing).toEqual(SUBJECTS.map((subject) => `${CHAIN} ${subject}`));
    for (const row of rows) expect(row).toMatchObject({ family: 'deployed', host: 'deployed' });
    expect(JSON.stringify([rows, family.configuration])).not.toContain(new URL(url).host);
  });

  it('is measured in chains too where it is the other Worker', async () => {
    const { timed, missing } = await measureQuickly(await deployedFamily(await serve(WORK_WORKER), ['lumenize']));
    expect(timed).toEqual(REMOTE_SCENARIOS.map(({ name }) => `${name} lumenize`));
    expect(missing).toEqual([]);
  });

  it('has objects of new names every time', async () => {
    const host = new DeployedHost('https://lumenize.example.workers.dev');
    const [first, second] = [await host.start(), await host.start()];
    expect(first.url).toBe(second.url);
    expect(first.names).not.toBe(second.names);
  });
});

async function startServer(answer: RequestListener) {
  const server = createServer(answer);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('an address at which there is no such Worker', { timeout: TIMEOUT_MS }, () => {
  it.each(SUBJECTS)('is refused where something else answers, by %s', async (subject) => {
    const url = await startServer((_, response) => response.end('<h1>Welcome</h1>'));
    await expect(assertServed(url, [subject], 300)).rejects.toThrow(
      new RegExp(`^${url} answers, but does not serve ${subject} \\(.+\\): deploy this repository’s Worker`),
    );
  });

  it('is refused where nothing answers in time', async () => {
    const url = await startServer(() => {});
    await expect(assertServed(url, ['raw'], 100)).rejects.toThrow(`${url} does not answer: `);
  });
});
