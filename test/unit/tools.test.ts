import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listOf } from '../../tools/commands/list.ts';
import { afterInstallation, obstacle } from '../../tools/commands/node-version.mjs';
import { runTool } from '../../tools/commands/run-tool.ts';
import { TOOLS } from '../../tools/commands/tools.ts';
import { projectFolder } from '../support/serve-counter.ts';

const read = (path: string) => readFileSync(join(projectFolder, path), 'utf8');
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts;
const names = TOOLS.map(({ name }) => name);

describe('npm run tool', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['tools/commands/run.mjs', ...args], { cwd: projectFolder, encoding: 'utf8' });

  test('lists every tool with what it does', () => {
    const { stdout, status } = run();
    expect(stdout).toBe(listOf(TOOLS));
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/, ' '));
    expect(lines).toEqual(expect.arrayContaining(TOOLS.map(({ name, does }) => `${name} ${does}`)));
    expect(status).toBe(0);
  });

  test('gives options to the tool, and exits with its code', () => {
    const { stderr, status } = run('repeatability', 'one.json');
    expect(stderr).toContain('usage: npm run tool -- repeatability <file> <file>');
    expect(status).toBe(2);
  });

  test('refuses a name that no tool has, with the list', () => {
    const { stderr, status } = run('simulat');
    expect(stderr).toBe(`There is no tool simulat.\n\n${listOf(TOOLS)}`);
    expect(status).toBe(1);
  });

  test('runs nothing after a step that fails', async () => {
    const fails = ['test/support/conditions.ts', '--no-such-option'] as const;
    const tool = { name: 'x', group: 'check', does: '', program: fails } as const;
    expect(await runTool({ ...tool, flags: ['--no-such-flag'] }, [])).toBe(9);
    expect(await runTool({ ...tool, before: ['no-such-file.ts'] }, [])).toBe(1);
    expect(await runTool(tool, [])).toBe(0);
  });
});

describe('the tools', () => {
  test('have names of their own, which no script has', () => {
    expect([...new Set([...names, ...Object.keys(scripts)])]).toHaveLength(names.length + Object.keys(scripts).length);
  });

  test.each(TOOLS)('$name has its program', ({ program: [file], before }) => {
    expect(existsSync(join(projectFolder, file))).toBe(true);
    if (before) expect(existsSync(join(projectFolder, before[0]))).toBe(true);
  });
});

test('what documents, code and workflows start by npm is there', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: projectFolder, encoding: 'utf8' }).trim().split('\n');
  // Decisions and measurements keep the words of their time. Examples have scripts of their own.
  const old =
    /^(?:docs\/decisions|measurements|examples|packages\/create-lumenize-rpc)\/|^MEASUREMENTS\.md$|^test\/unit\/tools\.test\.ts$|\.(?:png|json)$/;
  const unknown = files
    .filter((file) => !old.test(file) && existsSync(join(projectFolder, file)))
    .flatMap((file) => {
      const started = [...read(file).matchAll(/npm run (?:--silent )?([a-z][\w:-]*)(?: -- ([a-z][\w-]*))?/g)];
      return started
        .filter(([, script, tool]) => !(script in scripts) || (script === 'tool' && tool && !names.includes(tool)))
        .map(([command]) => `${file}: ${command}`);
    });
  expect(unknown.filter((each) => !OF_OTHER_PROJECTS.has(each))).toEqual([]);
});

/** What tests say of scripts of the starter and of examples. */
const OF_OTHER_PROJECTS: ReadonlySet<string> = new Set([
  'test/full/packed/starter.test.ts: npm run dev',
  'test/packed/starter-project.ts: npm run dev',
  'test/full/browser/board.test.ts: npm run dev',
]);

describe('a Node that is too old', () => {
  const BROUGHT = '24.21.0';

  test('is told of once, with what to do', () => {
    expect(obstacle('v20.20.2', true, BROUGHT)).toContain('needs Node 22.18 or newer, and runs with v20.20.2');
    expect(obstacle('v22.12.0', true, BROUGHT)).toContain('`npm ci` installs Node 24.21.0');
    for (const version of ['v22.18.0', 'v23.0.0', 'v24.21.0']) expect(obstacle(version, true, BROUGHT)).toBeUndefined();
  });

  test('is no matter before anything is installed', () => {
    for (const version of ['v20.20.2', 'v24.21.0'])
      expect(obstacle(version, false, BROUGHT)).toMatch(/^Run `npm ci` first/);
  });

  test('is no obstacle after an installation, which says so', () => {
    expect(afterInstallation('npm/11.19.1 node/v20.20.2 linux x64 workspaces/false', BROUGHT)).toMatch(
      /Your Node is v20\.20\.2.+no problem.+installed Node 24\.21\.0/,
    );
    expect(afterInstallation('npm/11.19.1 node/v24.21.0 linux x64', BROUGHT)).toBeUndefined();
    expect(afterInstallation('', BROUGHT)).toBeUndefined();
  });
});
