import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTo } from '@lumenize/hosts/worker-bundle';
import type { BuildOptions } from 'esbuild';

/**
 * The export condition of the packages' sources. With it, bundles use the sources, whether or not they have been built.
 */
export const SOURCES = ['@lumenize/source'];

/** Addons for faster string decoding. They are resolved at run time and cannot be found from a bundle. */
const ADDONS = ['cbor-extract', 'msgpackr-extract'];
const ANSWER = fileURLToPath(new URL('./client-process.ts', import.meta.url));

/** Options for bundling a client. */
export interface BundleOptions {
  /** The name of the file. @default client */
  readonly name?: string;
  /** Export conditions that come before those of Node. @default none: packages as they are built */
  readonly conditions?: readonly string[] | undefined;
}

/**
 * Bundles a client process into one module in `directory`, and returns its path. The process can run each function that
 * the module at `tasks` (an `import.meta.url`, or a `URL`) exports, and loads nothing else.
 */
export function bundleTasks(tasks: URL, directory: string, options: BundleOptions = {}): Promise<string> {
  const path = JSON.stringify(fileURLToPath(tasks));
  const contents = `import '@transformation-dev/debug';
import { answer } from ${JSON.stringify(ANSWER)};
import * as tasks from ${path};
answer({ ...tasks, started() {} });`;
  return bundled({ stdin: { contents, resolveDir: fileURLToPath(new URL('.', tasks)) } }, directory, options);
}

/** Bundles a module for Node like a user's client, and returns its path. */
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
    // Prefers ES modules if a package has both kinds. CommonJS modules would load Node's own modules with a `require`
    // that does not exist.
    mainFields: ['module', 'main'],
    external: ADDONS,
  });
}
