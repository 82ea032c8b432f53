import { build } from 'esbuild';
import { ROOT } from './pages.ts';

/** A program of a page that can be run in a browser. */
export interface Program {
  /** Its name on the site: `guides/calls/shop`. */
  readonly name: string;
  readonly code: string;
}

const BLOCK = /^```ts\n(\/\/ ([\w-]+)\.ts\b[\s\S]*?)^```$/gm;

/** Puts a button behind each program of a page that prints something and needs nothing but the library. */
export function withButtons(path: string, text: string, programs: Program[]): string {
  return text.replace(BLOCK, (block, code: string, file: string) => {
    if (!isRunnable(code)) return block;
    const name = `${path.replace(/(?:\/index)?\.md$/, '')}/${file}`;
    programs.push({ name, code });
    return `${block}\n\n<RunCode program="${name}" />`;
  });
}

function isRunnable(code: string): boolean {
  const imports = [...code.matchAll(/^(?:import|export) .*?from '([^']+)'/gms)].map(([, from]) => from);
  const isHere = imports.some((from) => from === '@lumenize/rpc/memory' || from === '@lumenize/structured-clone');
  const connects = /\bconnect(?:<[^>]*>)?\('\/rpc\//.test(code);
  return (
    /console\.log\(/.test(code) &&
    (isHere || connects) &&
    imports.every((from) => from.startsWith('@lumenize/')) &&
    !/\bprocess\.|node:|^export /m.test(code)
  );
}

/** Bundles programs for browsers, into modules that share the library. */
export async function bundlePrograms(programs: readonly Program[], folder: string): Promise<void> {
  const codes = new Map(programs.map(({ name, code }) => [name, code]));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [...codes.keys()].map((name) => ({ in: `program:${name}`, out: name })),
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[hash]',
    format: 'esm',
    // `using` is not everywhere yet.
    target: 'es2022',
    minify: true,
    conditions: ['@lumenize/source', 'browser'],
    logLevel: 'warning',
    plugins: [
      {
        name: 'programs',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^program:/ }, ({ path }) => ({
            path: path.slice('program:'.length),
            namespace: 'program',
          }));
          onLoad({ filter: /.*/, namespace: 'program' }, ({ path }) => ({
            contents: codes.get(path)!,
            loader: 'ts',
            resolveDir: ROOT,
          }));
        },
      },
    ],
  });
}
