import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/** Bundles what `options` say into the module `outfile`, with a source map beside it, and returns its path. */
export async function bundleTo(outfile: string, options: BuildOptions): Promise<string> {
  await build({
    outfile,
    bundle: true,
    format: 'esm',
    // Beside the bundle and not named in it: what runs is the same.
    sourcemap: 'external',
    target: 'es2024',
    logLevel: 'silent',
    ...options,
  });
  return outfile;
}

/**
 * Bundles the Worker's `entry` into one module in `directory` and returns its path. One bundle serves a whole run on
 * every host: code that is edited while a run lasts must not change what the run measures. `firstConditions` are export
 * conditions that come before those of a Worker.
 */
export function bundleWorker(
  entry: string,
  directory: string,
  firstConditions: readonly string[] = [],
): Promise<string> {
  return bundleTo(join(directory, 'worker.js'), {
    entryPoints: [entry],
    conditions: [...firstConditions, 'workerd', 'worker', 'import'],
    // Modules of Node that packages import by their old names, as wrangler has it.
    alias: { async_hooks: 'node:async_hooks', events: 'node:events' },
    external: ['cloudflare:*', 'node:*'],
  });
}
