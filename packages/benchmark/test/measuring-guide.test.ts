import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executable } from '@lumenize/hosts/installed';
import { ROOT } from '@lumenize/hosts/root';
import { COUNTER_WORKER, readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { describe, expect, it } from 'vitest';
import { REMOTE_SCENARIOS } from '../src/scenarios/all.ts';
import { MAIN_ARMS } from '../src/subjects/arms.ts';
import { temporaryDirectory } from './support/temporary.ts';

const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
const TIMEOUT_MS = 60_000;
const guide = readFileSync(join(ROOT, 'docs', 'guides', 'deploying.md'), 'utf8');

describe('the guide to measuring a deployed Worker', { timeout: TIMEOUT_MS }, () => {
  it('names every scenario and no other', () => {
    const named = [...guide.matchAll(/remote\/[\w-]+/g)].map(([name]) => name);
    expect([...new Set(named)].toSorted()).toEqual(REMOTE_SCENARIOS.map(({ name }) => name).toSorted());
  });

  it('names options that there are, subjects that there are and files that there are', () => {
    const { stdout } = spawnSync(process.execPath, ['--conditions=@lumenize/source', CLI, '--help'], {
      encoding: 'utf8',
    });
    const commands = [...guide.matchAll(/npm run measure -- ([^\n`]+)/g)].map(([, options]) => options);
    expect(commands.length).toBeGreaterThan(1);
    for (const [option] of commands.join(' ').matchAll(/--[\w-]+/g)) expect(stdout).toContain(`  ${option} `);
    for (const [, subject] of guide.matchAll(/--subject ([\w-]+)/g))
      expect(MAIN_ARMS.map(({ id }) => id as string)).toContain(subject);
    for (const [, file] of guide.matchAll(/--config (\S+?\.toml)/g)) expect(existsSync(join(ROOT, file))).toBe(true);
  });

  it.each([COUNTER_WORKER, WORK_WORKER])('is right that %s can be deployed as it is', (file) => {
    const { objects } = readWorkerConfig(file);
    const migrated = /new_sqlite_classes = \[([^\]]+)\]/.exec(readFileSync(join(ROOT, file), 'utf8'))![1];
    expect(migrated.match(/\w+/g)!.toSorted()).toEqual(Object.values(objects).toSorted());

    const args = ['deploy', '--dry-run', '--config', join(ROOT, file), '--outdir', temporaryDirectory()];
    const { status, stdout, stderr } = spawnSync(process.execPath, [executable('wrangler'), ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' },
    });
    expect(status, stderr).toBe(0);
    for (const [binding, name] of Object.entries(objects)) expect(stdout).toContain(`env.${binding} (${name})`);
  });
});
