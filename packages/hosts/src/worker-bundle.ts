import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/** Bundles into the module `outfile` with `options`, with a source map beside it. Returns its path. */
export async function bundleTo(outfile: string, options: BuildOptions): Promise<string> {
  await build({
    outfile,
    bundle: true,
    format: 'esm',
    // The source map is not referenced from the bundle, so the code that runs is unchanged.
    sourcemap: 'external',
    target: 'es2024',
    logLevel: 'silent',
    ...options,
  });
  return outfile;
}

/**
 * Bundles the Worker's `entry` into one module in `directory`, and returns its path. One bundle serves a whole run on
 * every host, so that editing code during a run does not change the measurements. `firstConditions` are export
 * conditions that come before those of a Worker. `alias` replaces packages by files.
 */
export function bundleWorker(
  entry: string,
  directory: string,
  firstConditions: readonly string[] = [],
  alias: Readonly<Record<string, string>> = {},
): Promise<string> {
  return bundleTo(join(directory, 'worker.js'), {
    entryPoints: [entry],
    conditions: [...firstConditions, 'workerd', 'worker', 'import'],
    // Packages import these Node modules by their old names. Wrangler has the same aliases.
    alias: { async_hooks: 'node:async_hooks', events: 'node:events', ...alias },
    external: ['cloudflare:*', 'node:*'],
  });
}
