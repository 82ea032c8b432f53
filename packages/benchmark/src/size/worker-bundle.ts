import { ROOT } from '@lumenize/hosts/root';
import { build } from 'esbuild';

/** Bundles and minifies a module for a Worker; what the runtime brings with it stays outside, and `external` packages. */
export async function bundleForWorker(module: string, external: readonly string[] = []): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*', ...external],
    logLevel: 'silent',
  });
  return outputFiles[0].contents;
}
