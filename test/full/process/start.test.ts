import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { executable } from '@lumenize/hosts/installed';
import { connect } from '@lumenize/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LiveCounterApi as CounterApi } from '../../../examples/playground/src/counter/live-counter.ts';
import {
  makeWorkspace,
  projectFolder,
  runStart,
  type ServedCounter,
  serveCounter,
  type Workspace,
} from '../../support/serve-counter.ts';

// A start of wrangler takes one to two seconds here, and several on a busy machine.
describe('npm start', { timeout: 60_000 }, () => {
  let workspace: Workspace;
  let counters: ServedCounter;

  beforeAll(async () => {
    workspace = await makeWorkspace();
    counters = await serveCounter(workspace);
  }, 60_000);

  afterAll(async () => {
    await counters?.[Symbol.asyncDispose]();
    await workspace?.[Symbol.asyncDispose]();
  }, 60_000);

  test('serves the page with its script, styles and icon', async () => {
    const page = await (await fetch(counters.pageUrl)).text();
    expect(page).toContain('Lumenize RPC');
    for (const name of ['main.js', 'styles.css', 'icon.svg']) {
      expect(page).toContain(`"${name}"`);
      expect((await fetch(new URL(name, counters.pageUrl))).status, name).toBe(200);
    }
  });

  test('prints three lines that call the counter when Node runs them as they are', async () => {
    const lines = /^ *import \{ connect \}.*?increment\(\)\);$/ms.exec(counters.output())![0];
    expect(lines.trim().split('\n')).toHaveLength(3);
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', lines], { cwd: projectFolder });
    expect((await run).stdout).toBe('1\n');
  });

  test('counts for two clients on one counter, and apart on another', async () => {
    using first = connect<CounterApi>(counters.counterUrl('shared'));
    using second = connect<CounterApi>(counters.counterUrl('shared'));
    using other = connect<CounterApi>(counters.counterUrl('other'));
    expect(await first.increment()).toBe(1);
    expect(await second.increment()).toBe(2);
    expect(await first.getValue()).toBe(2);
    expect(await other.getValue()).toBe(0);
    await expect(other.increment('1' as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await other.getValue()).toBe(0);
  });

  test('keeps the value of a counter from one run to the next', async () => {
    using before = connect<CounterApi>(counters.counterUrl('a'));
    expect(await before.increment()).toBe(1);
    expect(await counters.stop('SIGTERM')).toBe(143);
    counters = await serveCounter(workspace);
    using after = connect<CounterApi>(counters.counterUrl('a'));
    expect(await after.increment()).toBe(2);
  });

  test('serves what can be deployed as it is', async () => {
    const config = join(projectFolder, 'examples/playground/wrangler.toml');
    const args = ['deploy', '--dry-run', '--config', config, '--assets', join(workspace.folder, 'page')];
    const env = { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' };
    const { stdout } = await promisify(execFile)(process.execPath, [executable('wrangler'), ...args], { env });
    for (const binding of ['COUNTER', 'RACE', 'RACE_CAPNWEB', 'ROOM', 'VALUES'])
      expect(stdout).toContain(`env.${binding} `);
  });

  test('stops on Ctrl-C and leaves nothing listening', async () => {
    await using own = await makeWorkspace();
    const { pageUrl, stop } = await serveCounter(own);
    expect(await stop('SIGINT')).toBe(130);
    await expect(fetch(pageUrl)).rejects.toThrow('fetch failed');
  });

  test('says which command to use when the port is taken', async () => {
    await using other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, output } = await runStart(workspace, '--port', String(port));
    expect(code).toBe(1);
    expect(output).toContain(`Port ${port} is in use`);
    expect(output).toContain('npm start -- --port 9000');
  });

  test('refuses a port that is none, and explains itself when asked', async () => {
    const refused = await runStart(workspace, '--port', 'http');
    expect(refused.code).toBe(2);
    expect(refused.output).toContain('--port takes a number');
    const helped = await runStart(workspace, '--help');
    expect(helped.code).toBe(0);
    expect(helped.output).toContain('npm start -- --port 9000');
  });
});
