import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundlePackage } from '../../tools/bundle/bundle-package.ts';
import { publishedPackages } from '../../tools/bundle/published-packages.ts';
import { projectFolder } from './serve-counter.ts';

const run = promisify(execFile);

/** The compilers that the types are for, by the version that they call themselves. */
export const COMPILERS = {
  '7': 'node_modules/typescript/bin/tsc',
  '5.9': 'test/types/node_modules/typescript/bin/tsc',
} as const;

/** Where users' code runs: what is declared there. */
const ENVIRONMENTS = {
  page: { lib: ['ES2024', 'ESNext.Disposable', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'], types: [] },
  worker: { lib: ['ES2024', 'ESNext.Disposable'], types: ['@cloudflare/workers-types'] },
  node: { lib: ['ES2024', 'ESNext.Disposable'], types: ['node'] },
} as const;

export const ENVIRONMENT_NAMES = Object.keys(ENVIRONMENTS) as (keyof typeof ENVIRONMENTS)[];

interface Compiled {
  /** What is wrong with the program; empty where nothing is. */
  errors: string[];
  /** How many types the compiler made out of generic ones. */
  instantiations: number;
}

/** Builds the declarations that `compile` reads. */
export async function buildPackage(): Promise<void> {
  await run(process.execPath, [join(projectFolder, COMPILERS['7']), '-b', join(projectFolder, 'packages/rpc')]);
  const read = publishedPackages().filter(({ name }) => /^@lumenize\/(?:rpc|structured-clone)$/.test(name));
  await Promise.all(read.map(bundlePackage));
}

/** Compiles files, by name, the way a user would: against the built declarations, as strict as there is. */
export async function compile(
  files: Readonly<Record<string, string>>,
  environment: keyof typeof ENVIRONMENTS,
  compiler: keyof typeof COMPILERS,
): Promise<Compiled> {
  // Inside the project, so that the package is found.
  await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
  const folder = await mkdtemp(join(projectFolder, 'test/dist/compile-'));
  try {
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
    const compilerOptions = {
      ...ENVIRONMENTS[environment],
      target: 'ES2023',
      module: 'NodeNext',
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      // Those of the server need the platform's, which a page has not.
      skipLibCheck: true,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
    const args = [join(projectFolder, COMPILERS[compiler]), '-p', folder, '--extendedDiagnostics'];
    const { stdout } = await run(process.execPath, args).catch((error: { stdout: string }) => error);
    const [, instantiations] = /^Instantiations: +(\d+)$/m.exec(stdout) ?? [];
    return { errors: stdout.match(/^.*error TS.*$/gm) ?? [], instantiations: Number(instantiations) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
