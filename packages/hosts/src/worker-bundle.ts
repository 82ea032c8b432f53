import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the Worker's `entry` into one module in `directory` and returns its path. One bundle serves a whole run on
 * every host: code that is edited while a run lasts must not change what the run measures. `firstConditions` are export
 * conditions that come before those of a Worker.
 */
export async function bundleWorker(
  entry: string,
  directory: string,
  firstConditions: readonly string[] = [],
): Promise<string> {
  const outfile = join(directory, 'worker.js');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    // Beside the bundle and not named in it: what runs is the same.
    sourcemap: 'external',
    target: 'es2024',
    conditions: [...firstConditions, 'workerd', 'worker', 'import'],
    // Modules of Node that packages import by their old names, as wrangler has it.
    alias: { async_hooks: 'node:async_hooks', events: 'node:events' },
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'silent',
  });
  return outfile;
}
