import { constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { ROOT } from './root.ts';

/** Returns the options for bundling a module whose code size is measured. */
const minified = (module: string) =>
  ({
    stdin: { contents: module, resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
  }) as const satisfies BuildOptions;

/** Options for browsers. The oldest supported browsers are some years old. */
const FOR_BROWSERS = { platform: 'browser', target: 'es2022' } as const satisfies BuildOptions;

/**
 * Bundles and minifies a module for a browser. `conditions` are export conditions of packages. `external` modules are
 * not bundled.
 */
export async function bundleForBrowser(
  module: string,
  conditions?: string[],
  external?: string[],
): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...minified(module), ...FOR_BROWSERS, conditions, external });
  return outputFiles[0].contents;
}

/** Returns the source files that contribute code to a browser bundle, as paths from the root. */
export async function bundledSources(module: string): Promise<string[]> {
  const options = { ...minified(module), ...FOR_BROWSERS, conditions: ['@lumenize/source'], absWorkingDir: ROOT };
  const { metafile } = await build({ ...options, metafile: true });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
}

/**
 * Bundles and minifies a module for a Worker. Modules that the runtime provides are not bundled. `firstConditions` are
 * export conditions that come before those of a Worker.
 */
export async function bundleForWorker(
  module: string,
  external: readonly string[] = [],
  firstConditions: readonly string[] = [],
): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...minified(module),
    target: 'es2024',
    conditions: [...firstConditions, 'workerd', 'worker'],
    external: ['cloudflare:*', 'node:*', ...external],
  });
  return outputFiles[0].contents;
}

/** Returns the size of a bundle in bytes after gzip at the best compression. */
export function gzipBytes(bundle: Uint8Array): number {
  return gzipSync(bundle, { level: constants.Z_BEST_COMPRESSION }).byteLength;
}
