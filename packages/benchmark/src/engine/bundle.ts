import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTo } from '@lumenize/hosts/worker-bundle';
import type { BuildOptions } from 'esbuild';

/** The export condition of the packages' sources: what is bundled is what stands there, whether or not it has been built. */
export const SOURCES = ['@lumenize/source'];

/** Addons that faster string reading would need: looked for at run time, and found nowhere from a bundle. */
const ADDONS = ['cbor-extract', 'msgpackr-extract'];
const ANSWER = fileURLToPath(new URL('./client-process.ts', import.meta.url));

/** Options for bundling a client. */
export interface BundleOptions {
  /** The file's name. @default client */
  readonly name?: string;
  /** Export conditions that come before those of Node. @default none: packages as they are built */
  readonly conditions?: readonly string[] | undefined;
}

/**
 * Bundles a client process into one module in `directory` and returns its path: it can be asked for each of the functions
 * that the module at `tasks` (an `import.meta.url`, or a `URL`) exports, and loads nothing else.
 */
export function bundleTasks(tasks: URL, directory: string, options: BundleOptions = {}): Promise<string> {
  const path = JSON.stringify(fileURLToPath(tasks));
  const contents = `import '@transformation-dev/debug';
import { answer } from ${JSON.stringify(ANSWER)};
import * as tasks from ${path};
answer({ ...tasks, started() {} });`;
  return bundled({ stdin: { contents, resolveDir: fileURLToPath(new URL('.', tasks)) } }, directory, options);
}

/** Bundles a module for Node, as a user's client would be, and returns its path. */
export function bundleModule(entry: string, directory: string, options: BundleOptions = {}): Promise<string> {
  return bundled({ entryPoints: [entry] }, directory, options);
}

function bundled(
  entry: BuildOptions,
  directory: string,
  { name = 'client', conditions = [] }: BundleOptions,
): Promise<string> {
  return bundleTo(join(directory, `${name}.mjs`), {
    ...entry,
    platform: 'node',
    conditions: [...conditions, 'import'],
    // Modules where a package has both: those of CommonJS would ask for Node's own by a `require` that is not there.
    mainFields: ['module', 'main'],
    external: ADDONS,
  });
}
