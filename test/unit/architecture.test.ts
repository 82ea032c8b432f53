import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../support/serve-counter.ts';
import { importsIn, readSources, type SourceFile } from '../support/source-files.ts';

const RPC = 'packages/rpc/src';
const CODEC = 'packages/structured-clone/src';
const BENCHMARK = 'packages/benchmark/src';
const HOSTS = 'packages/hosts/src';
const SIMULATION = 'packages/simulation/src';

/**
 * What the files of each folder of the rpc package may import beside their own folder's: folders, and packages. Entry
 * files compose, and may import everything.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  '': ['types', '@lumenize/structured-clone'],
  types: [''],
  platform: ['cloudflare:workers'],
  transport: ['', 'types', '@lumenize/structured-clone'],
  peer: ['', 'types', '@lumenize/structured-clone', '#platform'],
  client: ['', 'types', 'peer', 'transport', '@lumenize/structured-clone', '#platform'],
  server: ['', 'types', 'peer', 'server/topics', 'transport', '@lumenize/structured-clone', '#platform', '#worker'],
  'server/topics': ['', 'types', 'peer', 'server', '@lumenize/structured-clone'],
  observe: ['', 'types', 'peer', 'server'],
  testing: ['', 'types', 'peer', 'client', 'server', 'transport', '@lumenize/structured-clone'],
  'testing/workers': [
    '',
    'types',
    'client',
    'server',
    'transport',
    'testing',
    '@lumenize/structured-clone',
    'cloudflare:test',
  ],
};

/** What measures, or tries the codecs that are measured, and so may import the benchmark. */
const MEASURES = /^(packages\/benchmark\/|tools\/type-table\/|test\/performance\.test\.ts$)/;

describe('imports', () => {
  const rpc = readSources(RPC);
  const codec = readSources(CODEC);

  test('of the rpc package point down, and client and server know nothing of each other', () => {
    const entries = entriesOf('packages/rpc');
    const violations = rpc
      .filter(({ path }) => !entries.has(path))
      .flatMap(({ path, imports }) =>
        imports
          .map(({ specifier, file, line }) => ({ line, to: file === undefined ? packageOf(specifier) : layerOf(file) }))
          .filter(({ to }) => to !== layerOf(path) && !ALLOWED[layerOf(path)]?.includes(to))
          .map(({ line, to }) => `${RPC}/${path}:${line}: ${layerOf(path)} may not import ${to}`),
      );
    expect(violations).toEqual([]);
  });

  test('of the codec name no package at all', () => {
    const violations = codec.flatMap(({ path, imports }) =>
      imports
        .filter(({ file }) => file === undefined)
        .map(({ specifier, line }) => `${CODEC}/${path}:${line}: the codec may not import ${specifier}`),
    );
    expect(violations).toEqual([]);
  });

  test('of what Workers run ask for no global `process`: its first use takes a Worker five milliseconds', () => {
    const asking = rpc
      .map(({ path }) => path)
      .filter((path) => /[.?]process\b|\bprocess[?.]/.test(readFileSync(join(projectFolder, RPC, path), 'utf8')));
    expect(asking).toEqual(['platform/default.ts']);
  });

  test.each([
    [RPC, rpc],
    [CODEC, codec],
  ])('in %s name the file that defines a thing; only an entry names another of the package', (folder, files) => {
    const entries = entriesOf(join(folder, '..'));
    const name: string = manifest(join(folder, '..')).name;
    const violations = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, file }) =>
          file === undefined ? specifier.startsWith(name) : entries.has(file) && !entries.has(path),
        )
        .map(({ specifier, line }) => `${folder}/${path}:${line}: ${specifier} is an entry`),
    );
    expect(violations).toEqual([]);
  });

  test.each([
    [RPC, rpc],
    [CODEC, codec],
    [BENCHMARK, readSources(BENCHMARK)],
    [HOSTS, readSources(HOSTS)],
    [SIMULATION, readSources(SIMULATION)],
  ])('in %s form no cycle of code, nor of types between folders', (_folder, files) => {
    expect(cyclesIn(files)).toEqual([]);
  });

  test('of examples name packages, as those of their users do, and none of their files', () => {
    const ofPackages = readSources('examples').flatMap(({ path, imports }) =>
      imports
        .filter(({ file }) => file?.startsWith('../packages/'))
        .map(({ specifier, line }) => `examples/${path}:${line}: ${specifier}`),
    );
    expect(ofPackages).toEqual([]);
  });

  test('lead to the benchmark from nothing but what measures: what tests share with it is in packages/hosts', () => {
    const violations = ['packages', 'test', 'tools', 'examples'].flatMap((folder) =>
      readSources(folder).flatMap(({ path, imports }) =>
        imports
          .filter(({ file, specifier }) => /^(\.\.\/packages\/|@lumenize\/)?benchmark\b/.test(file ?? specifier))
          .map(({ line, specifier }) => ({ from: `${folder}/${path}`, line, specifier })),
      ),
    );
    const others = violations.filter(({ from }) => !MEASURES.test(from));
    expect(others.map(({ from, line, specifier }) => `${from}:${line}: ${specifier}`)).toEqual([]);
  });

  test('are all seen by this test', () => {
    const text = `import './a.ts';
import type { B } from './b.ts';
import c, {
  d,
} from './c.ts';
export { e } from './e.ts';
export * from './f.ts';
const text = 'from nowhere', g: import('./g.ts').G = await import('./h.ts');
`;
    expect(importsIn(text)).toEqual([
      { specifier: './a.ts', line: 1, isType: false },
      { specifier: './b.ts', line: 2, isType: true },
      { specifier: './c.ts', line: 5, isType: false },
      { specifier: './e.ts', line: 6, isType: false },
      { specifier: './f.ts', line: 7, isType: false },
      { specifier: './g.ts', line: 8, isType: false },
      { specifier: './h.ts', line: 8, isType: false },
    ]);
    const known = new Set(rpc.map(({ path }) => path));
    for (const { path, imports } of rpc) {
      for (const { file, line } of imports) expect(file === undefined || known.has(file), `${path}:${line}`).toBe(true);
    }
    expect(rpc.flatMap(({ imports }) => imports).length).toBeGreaterThan(50);
  });

  test('that form a cycle are found', () => {
    const file = (path: string, ...to: string[]): SourceFile => ({
      path,
      imports: to.map((target) => ({ specifier: `./${target}`, file: target, line: 1, isType: false })),
    });
    expect(cyclesIn([file('a', 'b', 'd'), file('b', 'c'), file('c', 'b'), file('d')])).toEqual(['b:1 -> c:1 -> b']);
  });
});

/** Where tests may be, which says when they run: docs/decisions/0040. */
const TIERS =
  /^(packages\/[^/]+\/test|test\/(unit|contract|workerd|full\/(browser|process|packed|chaos|docs|site|benchmark)))\//;
/** What tests of one part alone have no use for. */
const SERVERS = /^@lumenize\/hosts\/(workerd|wrangler-dev|guarded-process|chromium)$|^playwright-core$/;

describe('tests', () => {
  const files = ['packages', 'test', 'tools'].flatMap((folder) =>
    readSources(folder).flatMap(({ path, imports }) =>
      path.endsWith('.test.ts') ? [{ path: `${folder}/${path}`, imports }] : [],
    ),
  );

  test('are in a tier, else nothing runs them', () => {
    // What a packed project tests itself by is run there.
    const ours = files.map(({ path }) => path).filter((path) => !path.startsWith('test/packed/project/'));
    const others = ours.filter((path) => !TIERS.test(path) && !MEASURES.test(path));
    expect(others).toEqual([]);
    expect(files.length).toBeGreaterThan(150);
  });

  test('of one part start no server and no browser: those that do are in test/full/process and test/full/browser', () => {
    const units = files.filter(({ path }) => /^(packages\/(?!benchmark)|test\/unit\/)/.test(path));
    const starting = units.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => SERVERS.test(specifier) || /\/support\/(shared-)?work(er|erd)\.ts$/.test(specifier))
        .map(({ specifier, line }) => `${path}:${line}: ${specifier}`),
    );
    expect(starting).toEqual([]);
  });
});

/** The folder that a rule speaks of. */
function layerOf(file: string): string {
  return file.split('/').slice(0, -1).join('/');
}

/** The folder at the top that a file is in, with all below it. */
function roomsOf(file: string): string {
  return layerOf(file).split('/')[0]!;
}

function manifest(folder: string) {
  return JSON.parse(readFileSync(join(projectFolder, folder, 'package.json'), 'utf8'));
}

/** The files that a package's users import, as paths from its sources. */
function entriesOf(folder: string): Set<string> {
  const conditions: { '@lumenize/source': string }[] = Object.values(manifest(folder).exports);
  return new Set(conditions.map((entry) => entry['@lumenize/source'].replace('./src/', '')));
}

/** The files among which a condition of the package chooses. */
const PLATFORMS: Readonly<Record<string, readonly string[]>> = {
  '#platform': ['platform/default.ts', 'platform/workerd.ts'],
};

/** Finds cycles among files; each is written as the way round, with the line of each import. */
function cyclesIn(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly { path: string; line: number }[]) => {
    const start = way.findIndex((step) => step.path === path);
    if (start >= 0) {
      const round = way.slice(start).map((step) => `${step.path}:${step.line}`);
      cycles.push([...round, path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const { file, specifier, line, isType } of byPath.get(path)?.imports ?? []) {
      // The parts of one thing know each other by their types.
      if (isType && file !== undefined && roomsOf(file) === roomsOf(path)) continue;
      for (const next of PLATFORMS[specifier] ?? [file]) if (next !== undefined) visit(next, [...way, { path, line }]);
    }
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return cycles;
}

/** Returns the package that an entry is of: whoever may import one of them may import all. */
function packageOf(specifier: string): string {
  return specifier.match(/^@lumenize\/[^/]+/)?.[0] ?? specifier;
}
