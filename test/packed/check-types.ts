import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILERS } from '../support/compile.ts';
import { projectFolder } from '../support/serve-counter.ts';
import type { PackedProject } from './packed-project.ts';

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
    ...environment,
    target: 'ES2023',
    module: moduleResolution === 'bundler' ? 'ESNext' : 'NodeNext',
    moduleResolution,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  const config = `tsconfig.${program}-${moduleResolution}-${compiler}.json`;
  await project.write(config, JSON.stringify({ compilerOptions, files }));
  const { stdout } = await run(process.execPath, [join(projectFolder, COMPILERS[compiler]), '-p', config], {
    cwd: project.folder,
  }).catch((error: { stdout: string }) => error);
  return stdout.trim().split('\n').filter(Boolean);
}
