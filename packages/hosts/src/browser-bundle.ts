import { parse, relative } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { ROOT } from './root.ts';

/** How every module is bundled whose code is weighed. */
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

/** A bundle in several files: those that a page loads at once, and by its name each part that code loads when it is needed. */
export interface SplitBundle {
  readonly atOnce: readonly Uint8Array[];
  /** The files of a part that are not loaded at once; what parts share is with each of them. */
  readonly parts: ReadonlyMap<string, readonly Uint8Array[]>;
}

/** Bundles and minifies a module for a browser, and splits it where it loads parts by `import()`. */
export async function bundleInParts(module: string, conditions?: string[]): Promise<SplitBundle> {
  const { outputFiles, metafile } = await build({
    ...minified(module),
    ...FOR_BROWSERS,
    splitting: true,
    metafile: true,
    outdir: ROOT,
    absWorkingDir: ROOT,
    conditions,
  });
  const { outputs } = metafile;
  const codeOf = (path: string) => outputFiles.find((file) => relative(ROOT, file.path) === path)!.contents;
  const closure = (path: string, known = new Set<string>()): Set<string> => {
    known.add(path);
    for (const { kind, path: next } of outputs[path].imports) {
      if (kind === 'import-statement' && !known.has(next)) closure(next, known);
    }
    return known;
  };
  const paths = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  const atOnce = closure(paths.find(([, { entryPoint }]) => entryPoint === '<stdin>')![0]);
  const parts = paths
    .filter(([path]) => !atOnce.has(path))
    .map(([path, { entryPoint }]): [string, Uint8Array[]] => [
      parse(entryPoint!).name,
      [...closure(path)].filter((each) => !atOnce.has(each)).map(codeOf),
    ]);
  return { atOnce: [...atOnce].map(codeOf), parts: new Map(parts) };
}
