import { join } from 'node:path';
import { build } from 'esbuild';

/** The export condition of the packages' sources: what is bundled is what stands there, whether or not it has been built. */
export const SOURCES = ['@lumenize/source'];

/** Addons that faster string reading would need: looked for at run time, and found nowhere from a bundle. */
const ADDONS = ['cbor-extract', 'msgpackr-extract'];

/**
 * Bundles the `entry` of a process that measures into one module in `directory`, as a user's client would be, and
 * returns its path; `name` is the file's. `firstConditions` are export conditions that come before those of Node.
 */
export async function bundleClient(
  entry: string,
  directory: string,
  firstConditions: readonly string[] = [],
  name = 'client',
): Promise<string> {
  const outfile = join(directory, `${name}.mjs`);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    // Beside the bundle and not named in it: what runs is the same.
    sourcemap: 'external',
    platform: 'node',
    target: 'es2024',
    conditions: [...firstConditions, 'import'],
    // Modules where a package has both: those of CommonJS would ask for Node's own by a `require` that is not there.
    mainFields: ['module', 'main'],
    external: ADDONS,
    logLevel: 'silent',
  });
  return outfile;
}
