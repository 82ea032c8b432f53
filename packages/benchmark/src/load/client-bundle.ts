import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ENTRY = fileURLToPath(new URL('./client.ts', import.meta.url));

/** Bundles the load generator into one module in `directory`, as a user's client would be, and returns its path. */
export async function bundleClient(directory: string): Promise<string> {
  const outfile = join(directory, 'client.mjs');
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2024',
    conditions: ['import'],
    logLevel: 'silent',
  });
  return outfile;
}
