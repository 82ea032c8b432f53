import { constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { ROOT } from '../root.ts';

/** Bundles and minifies a module for a browser. `conditions` choose what packages resolve to. */
export async function bundleForBrowser(module: string, conditions?: string[]): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: module, resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions,
    logLevel: 'silent',
  });
  return outputFiles[0].contents;
}

/** Bytes that a bundle takes when it is compressed with gzip, as well as that can. */
export function gzipBytes(bundle: Uint8Array): number {
  return gzipSync(bundle, { level: constants.Z_BEST_COMPRESSION }).byteLength;
}
