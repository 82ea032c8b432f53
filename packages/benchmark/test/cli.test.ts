import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '@lumenize/hosts/root';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { descendants, running } from './support/processes.ts';
import { temporaryDirectory } from './support/temporary.ts';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
const TIMEOUT_MS = 120_000;
const PIPELINE = ['--family', 'pipeline', '--subject', 'lumenize'];
const LINKED = ['--family', 'links', '--subject', 'lumenize', '--host', 'workerd-far'];

/** What the log and its files are at this moment. */
const logged = () => ({
  log: readFileSync(join(ROOT, 'MEASUREMENTS.md'), 'utf8'),
  files: readdirSync(join(ROOT, 'measurements')),
});

describe('npm run measure', { timeout: TIMEOUT_MS }, () => {
  let temporary: string;
  beforeEach(() => {
    temporary = temporaryDirectory();
  });

  function start(env: NodeJS.ProcessEnv, ...args: string[]) {
    const cli = spawn(process.execPath, ['--conditions=@lumenize/source', CLI, ...args], {
      env: { ...process.env, TMPDIR: temporary, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void cli.kill('SIGKILL'));
    return { cli, exited: once(cli, 'exit'), progress: once(cli.stderr.setEncoding('utf8'), 'data') };
  }

  it.each([
    ['SIGINT', 130, PIPELINE],
    ['SIGTERM', 143, PIPELINE],
    ['SIGINT', 130, ['--family', 'values', '--subject', 'lumenize', '--host', 'node']],
    ['SIGTERM', 143, LINKED],
  ] as const)('leaves no process, file or entry behind on %s, and ends with %d: %s', async (signal, code, args) => {
    const before = logged();
    const { cli, exited, progress } = start({}, '--allow-dirty', ...args);
    expect((await progress)[0]).toMatch(/launch 1 of/);
    let started: number[] = [];
    // The load generator and, but for codecs in Node, the guard and its server, and those of the link.
    const least = args === LINKED ? 5 : args === PIPELINE ? 3 : 1;
    await vi.waitFor(
      () => {
        started = descendants(cli.pid!);
        expect(started.length).toBeGreaterThanOrEqual(least);
      },
      { timeout: 60_000, interval: 100 },
    );
    cli.kill(signal);
    expect(await exited).toEqual([code, null]);
    await vi.waitFor(() => expect(running(started)).toEqual([]), { timeout: 30_000, interval: 100 });
    await vi.waitFor(() => expect(readdirSync(temporary)).toEqual([]), { timeout: 30_000 });
    expect(logged()).toEqual(before);
  });

  it('refuses at once to log a tree that differs from its commit, and measures nothing', async () => {
    const before = logged();
    // Without a repository there is no commit that the tree could agree with.
    const { exited, progress } = start({ GIT_DIR: join(temporary, 'none') }, ...PIPELINE);
    expect((await progress)[0]).toContain('commit first');
    expect(await exited).toEqual([2, null]);
    expect(logged()).toEqual(before);
  });
});
