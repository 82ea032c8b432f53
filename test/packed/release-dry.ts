// `npm run release -- --dry`, after the build: packs what would be published, installs it where nothing is, and follows the
// guide for newcomers with it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { publishedPackages } from '../../tools/bundle/published-packages.ts';
import { type Packed, packAll } from '../../tools/release/pack.ts';
import { GuideProject } from './guide-project.ts';
import { assertBuilt, IN_TESTS } from './packed-project.ts';

const GUIDE = 'docs/guides/getting-started.md';
/** Calls the guide's object from Node. */
const CLIENT = `import { connect } from '@lumenize/rpc';
const counter = connect('ws://127.0.0.1:' + process.argv[2] + '/rpc/counter/dry-run');
const values = await Promise.all([counter.increment(), counter.increment(10), counter.getValue()]);
console.log(JSON.stringify(values));
process.exit();
`;

const packages = publishedPackages();
await using folder = await mkdtempDisposable(join(tmpdir(), 'lumenize-release-'));
const packed = await step(`packs ${packages.length} packages`, packEverything, sizes);
await step('looks for mistakes in manifests: publint', lint);
await step('looks at how they are published', checkManifests);
const install = () => GuideProject.createAlone(GUIDE, packed.map(archiveOf));
await using project = await step('installs them in a new project, with an empty cache of npm', install);
await step('loads every entry in Node', loadEntries, (count) => `${count} entries`);
await step('compiles the files of the guide: wrangler types, tsc', compile);
await step('runs its test in workerd: vitest run', runTest, (said) => said);
await step('serves its Worker and page: wrangler dev; calls from Node', serve, (said) => said);
console.log(`\n${GUIDE} works with the packages as they would be published. Nothing was published.`);

function packEverything(): Promise<Packed[]> {
  return assertBuilt(packages).then(() => packAll(packages, folder.path));
}

function sizes(all: readonly Packed[]): string {
  const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1000)} kB`.padStart(7);
  const lines = all.map(
    ({ name, size, unpackedSize, files }) =>
      `${name.padEnd(26)} ${kilobytes(size)}, installed ${kilobytes(unpackedSize)} in ${files.length} files`,
  );
  return lines.join('\n');
}

async function lint(): Promise<void> {
  for (const { archive } of packed) {
    const tarball = new Uint8Array(await readFile(archive)).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg, { color: false })),
      [],
    );
  }
}

/** The repository is not in the manifests: release.yml adds that, which only it knows. */
async function checkManifests(): Promise<void> {
  for (const { folder: source, name } of packages) {
    const { publishConfig, license } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
    assert.deepEqual([publishConfig, license], [{ access: 'public', provenance: true }, 'MIT'], name);
  }
}

async function loadEntries(): Promise<number> {
  const entries = packages.flatMap(({ specifiers }) => specifiers).filter((entry) => entry !== IN_TESTS);
  await project.write('entries.mjs', `for (const entry of ${JSON.stringify(entries)}) await import(entry);\n`);
  await node('entries.mjs');
  return entries.length;
}

async function compile(): Promise<void> {
  for (const command of ['npx wrangler types', 'npx tsc']) await succeed(command);
}

async function runTest(): Promise<string> {
  const output = await succeed('npx vitest run');
  return /Tests .+passed.+/.exec(output)![0];
}

async function serve(): Promise<string> {
  await using server = await project.dev();
  const page = `http://127.0.0.1:${server.port}/`;
  const [, script] = /src="([^"]+)"/.exec(await (await fetch(page)).text())!;
  const loaded = await fetch(new URL(script, page));
  assert.equal(loaded.status, 200);
  assert.match(await loaded.text(), /rpc\/counter\/main/);
  await project.write('client.mjs', CLIENT);
  const values = (await node('client.mjs', String(server.port))).trim();
  assert.equal(values, '[1,11,11]');
  return `increment, increment by 10, getValue: ${values}`;
}

async function node(file: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await promisify(execFile)(process.execPath, [file, ...args], { cwd: project.folder, env })).stdout;
}

async function succeed(command: string): Promise<string> {
  const { code, output } = await project.run(command);
  if (code !== 0) throw new Error(`${command} failed:\n${output}`);
  return output;
}

function archiveOf({ archive }: Packed): string {
  return archive;
}

/** Takes a step of the release, and prints what it does, how long it took, and what came of it. */
async function step<Result>(
  what: string,
  work: () => Promise<Result>,
  describe?: (result: Result) => string,
): Promise<Result> {
  const begun = performance.now();
  process.stdout.write(`${what} … `);
  const result = await work();
  console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s`);
  if (describe) console.log(describe(result).trim().replace(/^/gm, '    '));
  return result;
}
