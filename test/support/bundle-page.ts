import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

/** Bundles a script of this folder for a page, from the sources of the packages. */
export async function bundlePage(
  file: string,
  options?: Pick<BuildOptions, 'keepNames' | 'target' | 'format'>,
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    conditions: ['@lumenize/source'],
    logLevel: 'warning',
    ...options,
  });
  return outputFiles[0].text;
}
