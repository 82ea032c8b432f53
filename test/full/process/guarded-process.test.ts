import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { GuardedProcess } from '../../../packages/hosts/src/guarded-process.ts';

/** A server that has a child of its own, as wrangler has, and tells the ids of both. */
const SERVER = `
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  console.log('ids', process.pid, child.pid, 'end');
  setInterval(() => {}, 1000);
`;
const IDS = /ids (\d+) (\d+) end/;
const TIMEOUT_MS = 30_000;

const newDirectory = () => mkdtempSync(join(tmpdir(), 'lumenize-guard-'));

function isRunning(id: string): boolean {
  try {
    process.kill(Number(id), 0);
  } catch {
    return false;
  }
  // A process that has ended stays listed until its parent, here the system's first process, has taken note of it.
  return !isZombie(id);
}

function isZombie(id: string): boolean {
  try {
    return /^State:\s+Z/m.test(process.getBuiltinModule('fs').readFileSync(`/proc/${id}/status`, 'utf8'));
  } catch {
    // No /proc on this system, or the process has just gone.
    return false;
  }
}

async function untilGone(ids: readonly string[]): Promise<void> {
  await vi.waitFor(() => expect(ids.filter(isRunning)).toEqual([]), { timeout: TIMEOUT_MS });
}

describe('GuardedProcess', () => {
  it('ends the command and its children, and removes its directory', async () => {
    const directory = newDirectory();
    const server = new GuardedProcess(directory, process.execPath, ['-e', SERVER]);
    const [, ...ids] = await server.find(IDS, TIMEOUT_MS);
    expect(ids.filter(isRunning)).toEqual(ids);
    await server.stop();
    await untilGone(ids);
    expect(existsSync(directory)).toBe(false);
  });

  it('does so even when the process that started it is killed', async () => {
    const directory = newDirectory();
    const source = new URL('../../../packages/hosts/src/guarded-process.ts', import.meta.url).href;
    const program = `
      const { GuardedProcess } = await import(${JSON.stringify(source)});
      const server = new GuardedProcess(${JSON.stringify(directory)}, process.execPath, ['-e', ${JSON.stringify(SERVER)}]);
      console.log((await server.find(${IDS}, ${TIMEOUT_MS}))[0]);
    `;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program]);
    const [output] = (await once(starter.stdout.setEncoding('utf8'), 'data')) as [string];
    const [, ...ids] = IDS.exec(output)!;
    starter.kill('SIGKILL');
    await untilGone(ids);
    await vi.waitFor(() => expect(existsSync(directory)).toBe(false), { timeout: TIMEOUT_MS });
  });

  it('shows what a command printed that ended before it was ready, however much that was', async () => {
    for (const before of ['', 'x'.repeat(100_000)]) {
      const program = `console.error('${before} no such port')`;
      const failing = new GuardedProcess(newDirectory(), process.execPath, ['-e', program]);
      await expect(failing.find(/ready/, TIMEOUT_MS)).rejects.toThrow('no such port');
    }
  });

  it('finds a line when it is whole, and not what has arrived of it', async () => {
    const program = `process.stdout.write('port 12'); setTimeout(() => console.log('34'), 300); setInterval(() => {}, 1000)`;
    const server = new GuardedProcess(newDirectory(), process.execPath, ['-e', program]);
    expect((await server.find(/port (\d+)/, TIMEOUT_MS))[1]).toBe('1234');
    await server.stop();
  });

  it('ends a command that does not become ready in time', async () => {
    const slow = new GuardedProcess(newDirectory(), process.execPath, ['-e', SERVER]);
    const [, ...ids] = await slow.find(IDS, TIMEOUT_MS);
    await expect(slow.find(/never said/, 50)).rejects.toThrow('did not start');
    await untilGone(ids);
  });
});
