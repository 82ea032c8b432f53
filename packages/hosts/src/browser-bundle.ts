import { constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { ROOT } from './root.ts';

/** Bundles a module whose code is weighed. */
const minified = (module: string) =>
  ({
    stdin: { contents: module, resolveDir: ROOT },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
  }) as const satisfies BuildOptions;

/** For browsers, of which the oldest may be some years old. */
const FOR_BROWSERS = { platform: 'browser', target: 'es2022' } as const satisfies BuildOptions;

/** Bundles and minifies a module for a browser. `conditions` choose what packages resolve to; `external` ones stay outside. */
export async function bundleForBrowser(
  module: string,
  conditions?: string[],
  external?: string[],
): Promise<Uint8Array> {
  const { outputFiles } = await build({ ...minified(module), ...FOR_BROWSERS, conditions, external });
  return outputFiles[0].contents;
}

/** Returns the files of sources that a bundle for a browser has code of, as paths from the root. */
export async function bundledSources(module: string): Promise<string[]> {
  const options = { ...minified(module), ...FOR_BROWSERS, conditions: ['@lumenize/source'], absWorkingDir: ROOT };
  const { metafile } = await build({ ...options, metafile: true });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0);
}

/** Bundles and minifies a module for a Worker; what the runtime brings with it stays outside. */
export async function bundleForWorker(module: string, external: readonly string[]): Promise<Uint8Array> {
  const { outputFiles } = await build({
    ...minified(module),
    target: 'es2024',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:*', ...external],
  });
  return outputFiles[0].contents;
}

/** Bytes that a bundle takes when it is compressed with gzip, as well as that can. */
export function gzipBytes(bundle: Uint8Array): number {
  return gzipSync(bundle, { level: constants.Z_BEST_COMPRESSION }).byteLength;
}
