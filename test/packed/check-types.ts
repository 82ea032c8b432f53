import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILERS } from '../support/compile.ts';
import { projectFolder } from '../support/serve-counter.ts';
import { IN_TESTS, type PackedProject } from './packed-project.ts';

const run = promisify(execFile);

/** Programs of a user, with what is declared where each runs: a page has neither Node's types nor those of Workers. */
const PROGRAMS = {
  worker: {
    lib: ['ES2024', 'ESNext.Disposable'],
    types: ['@cloudflare/workers-types'],
    files: ['worker.ts', 'shop/worker.ts'],
  },
  test: {
    lib: ['ES2024', 'ESNext.Disposable'],
    types: ['@cloudflare/workers-types', '@cloudflare/vitest-plugin/types'],
    files: ['object.test.ts'],
  },
  page: {
    lib: ['ES2024', 'ESNext.Disposable', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: [],
    files: ['page.ts', 'page-entries.ts'],
  },
} as const;

export const PROGRAM_NAMES = Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[];
export const RESOLUTIONS = ['nodenext', 'bundler'] as const;

/** Compiles a user's program, and the declarations that it reads, as strictly as there is; returns what is wrong. */
export async function checkTypes(
  project: PackedProject,
  program: keyof typeof PROGRAMS,
  moduleResolution: (typeof RESOLUTIONS)[number],
  compiler: keyof typeof COMPILERS,
): Promise<string[]> {
  const { files, ...environment } = PROGRAMS[program];
  const compilerOptions = {
    ...STRICT,
    ...environment,
    module: moduleResolution === 'bundler' ? 'ESNext' : 'NodeNext',
    moduleResolution,
    skipLibCheck: false,
  };
  return await compileIn(project, `${program}-${moduleResolution}`, compilerOptions, files, compiler);
}

/** What projects say of the environment of their code, in every combination. */
const LIBS = ['ES2022', 'ES2023', 'ES2024'];
const DOMS = [[], ['DOM']];
const TYPES = [[], ['vite/client'], ['vitest/globals']];

export interface Configuration {
  readonly lib: readonly string[];
  readonly types: readonly string[];
  readonly skipLibCheck: boolean;
}

export const CONFIGURATIONS: readonly Configuration[] = LIBS.flatMap((lib) =>
  DOMS.flatMap((dom) =>
    TYPES.flatMap((types) => [true, false].map((skipLibCheck) => ({ lib: [lib, ...dom], types, skipLibCheck }))),
  ),
);

/**
 * Compiles programs with as little declared as a project may have, in which each mistake is expected; returns what is wrong. What
 * needs the types of frameworks or of the Workers runtime is only compiled where projects have to skip those.
 */
export async function checkConfiguration(
  project: PackedProject,
  configuration: Configuration,
  compiler: keyof typeof COMPILERS,
): Promise<string[]> {
  const { lib, types, skipLibCheck } = configuration;
  const files = [
    'clients.ts',
    ...(skipLibCheck ? ['served.ts'] : []),
    ...(skipLibCheck && lib.includes('DOM') ? ['frameworks.ts'] : []),
  ].map((file) => `configurations/${file}`);
  const options = { ...STRICT, ...configuration, target: 'ES2022', module: 'ESNext', moduleResolution: 'Bundler' };
  const name = [...lib, ...types, skipLibCheck].join('-').replaceAll('/', '-');
  const found = await compileIn(project, name, options, files, compiler);
  // What tools declare has mistakes of its own there.
  return found.filter((line) => !/^\S*node_modules\/(?!@lumenize\/)/.test(line));
}

/**
 * Compiles what exports everything that an entry does, and stubs if it has these, without a type of its own, and imports nothing
 * else: compilers have to find a name for every type there. Returns what is wrong.
 */
export async function checkDeclarations(
  project: PackedProject,
  specifier: string,
  compiler: keyof typeof COMPILERS,
): Promise<string[]> {
  const name = specifier.replaceAll('/', '-');
  const file = `declarations/${name}.ts`;
  const template = await readFile(join(project.folder, 'declarations/stubs.ts'), 'utf8');
  const stubs = template
    .replace("import { connect, type Stub } from '@lumenize/rpc'", `import type { Stub } from '${specifier}'`)
    .replace(/connect<Api>\(.*?\)/, '{} as Stub<Api>');
  const everything = `import * as entry from '${specifier}';\nexport const everything = { ...entry };\n`;
  await project.write(file, WITH_STUBS.has(specifier) ? everything + stubs : everything);
  const options = {
    ...STRICT,
    lib: ['ES2024', 'DOM'],
    types: specifier === IN_TESTS ? PROGRAMS.test.types : [],
    module: 'NodeNext',
    skipLibCheck: true,
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: 'declarations',
    outDir: `declarations/${compiler}`,
  };
  return await compileIn(project, name, options, [file], compiler);
}

/** Entries that give stubs, whose types projects export. */
const WITH_STUBS: ReadonlySet<string> = new Set(
  ['', '/core', '/http', '/port', '/socket', '/binding', '/memory', '/server', '/testing', '/testing/workers'].map(
    (path) => `@lumenize/rpc${path}`,
  ),
);

const STRICT = {
  target: 'ES2023',
  allowImportingTsExtensions: true,
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
};

async function compileIn(
  project: PackedProject,
  name: string,
  compilerOptions: object,
  files: readonly string[],
  compiler: keyof typeof COMPILERS,
): Promise<string[]> {
  const config = `tsconfig.${name}-${compiler}.json`;
  await project.write(config, JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(process.execPath, [join(projectFolder, COMPILERS[compiler]), '-p', config], {
    cwd: project.folder,
  }).catch((error: { stdout: string }) => error);
  return stdout.trim().split('\n').filter(Boolean);
}
