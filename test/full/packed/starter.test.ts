import { exec, execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium, launchChromium } from '@lumenize/hosts/chromium';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StarterProject } from '../../packed/starter-project.ts';
import { projectFolder } from '../../support/serve-counter.ts';

const executablePath = findChromium();
if (!executablePath)
  console.warn('The page of the starter skipped: no Chromium on PATH; install one or set CHROMIUM_PATH.');

let starter: StarterProject;
beforeAll(async () => {
  starter = await StarterProject.create();
}, 180_000);
afterAll(() => starter?.[Symbol.asyncDispose]());

test('the starter has the name of its folder, and asks for the packages as they are here', async () => {
  const manifest = JSON.parse(await readFile(join(starter.folder, 'package.json'), 'utf8'));
  expect(manifest.name).toBe('new-app');
  expect(await readFile(join(starter.folder, 'wrangler.toml'), 'utf8')).toContain('name = "new-app"');
  expect(await readdir(starter.folder)).toEqual(expect.arrayContaining(['.env', '.gitignore']));
  // Where docs/guides/deploying.md puts secrets for `wrangler dev`.
  expect(await readFile(join(starter.folder, '.gitignore'), 'utf8')).toMatch(/^\.dev\.vars$/m);
  const asked = JSON.parse(await readFile(join(projectFolder, 'examples/starter/package.json'), 'utf8'));
  const { version } = JSON.parse(await readFile(join(projectFolder, 'packages/rpc/package.json'), 'utf8'));
  expect([asked.dependencies['@lumenize/rpc'], asked.devDependencies['@lumenize/rpc-cli']]).toEqual([
    `^${version}`,
    `^${version}`,
  ]);
});

test.each([
  ['without a folder', [], /Which folder/],
  ['for a folder that is not empty', ['.'], /^\. is not empty, and nothing was written/],
  ['where one is named twice', ['a', 'b'], /^One folder is enough: what is b\?/],
  ['by a name that no Worker can have', ['My App'], /"My App" cannot be the name of a Worker/],
  ['by a name that no host can have', ['my-app-'], /"my-app-" cannot be the name of a Worker/],
])('nothing is started %s', async (_case, args, message) => {
  const failed = await create(starter.folder, ...args).catch((error) => error);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
});

test('a project is started wherever there is nothing of anybody’s', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-create-'));
  try {
    await mkdir(join(folder, 'with-git/.git'), { recursive: true });
    await writeFile(join(folder, 'a-file'), '');
    const [, pack] = /^\. is ready:\n\n {2}(npm pack .*)\n {2}npm install \.\/\*\.tgz\n {2}npm run dev\n\n$/.exec(
      await create(join(folder, 'with-git'), '.'),
    )!;
    // Nothing is on npm yet, so the packages of the clone are packed and installed.
    await promisify(exec)(pack, { cwd: join(folder, 'with-git') });
    const archives = (await readdir(join(folder, 'with-git'))).filter((name) => name.endsWith('.tgz'));
    expect(archives.map((name) => name.replace(/-[\d.]+tgz$/, '')).sort()).toEqual([
      'lumenize-rpc',
      'lumenize-rpc-cli',
      'lumenize-structured-clone',
    ]);
    // Of the archive that will be on npm, as of any that is not in a clone.
    const elsewhere = join(folder, 'node_modules/create-lumenize-rpc/dist');
    await cp(join(projectFolder, 'packages/create-lumenize-rpc/dist'), elsewhere, { recursive: true });
    const { stdout } = await promisify(execFile)(process.execPath, [join(elsewhere, 'main.js'), 'published'], {
      cwd: folder,
    });
    expect(stdout).toBe('published is ready:\n\n  cd published\n  npm install\n  npm run dev\n\n');
    expect(await readdir(join(folder, 'with-git'))).toContain('.gitignore');
    expect(await create(folder, 'my things/new')).toContain('  cd "my things/new"\n  npm pack ');
    await expect(create(folder, 'a-file')).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^a-file is no folder\n/),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the starter passes its own tests', { timeout: 120_000 }, async () => {
  expect(await starter.run('npm', 'test')).toMatch(/Tests .*3 passed/);
});

test('the page of the starter has the types of pages only: with those of Workers, elements cannot be appended', async () => {
  await writeFile(join(starter.folder, 'page/append.ts'), "document.body.append(document.createElement('p'));\n");
  await starter.run('npx', 'tsc', '-p', 'page');
});

test('the starter is ready to be deployed', { timeout: 60_000 }, async () => {
  const said = await starter.run('npx', 'wrangler', 'deploy', '--dry-run', '--outdir', 'deployed');
  expect(said).toMatch(/env\.COUNTER \(Counter\)\s+Durable Object/);
  expect(await readdir(join(starter.folder, 'deployed'))).toContain('worker.js');
});

test('the starter serves its page, and answers the command line', { timeout: 90_000 }, async () => {
  const server = await starter.dev();
  try {
    const target = `${server.url.replace('http', 'ws')}/rpc/counter/main`;
    expect(await starter.run('npx', 'lumenize-rpc', 'call', target, 'increment', '5')).toBe('5\n');
    expect(await starter.run('npx', 'lumenize-rpc', 'describe', target)).toContain('increment()');
    if (executablePath) await countInPage(server.url);
  } finally {
    await server.stop();
  }
});

/** Runs what `npm create lumenize-rpc` runs, and returns what it prints. */
async function create(cwd: string, ...args: string[]): Promise<string> {
  const program = join(projectFolder, 'packages/create-lumenize-rpc/dist/main.js');
  return (await promisify(execFile)(process.execPath, [program, ...args], { cwd })).stdout;
}

async function countInPage(url: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(url);
    await page.locator('output', { hasText: /^5$/ }).waitFor();
    await page.getByRole('button').click();
    await page.locator('output', { hasText: /^6$/ }).waitFor();
    await page.getByRole('status').filter({ hasText: 'open' }).waitFor();
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}
