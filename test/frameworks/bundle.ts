import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { transformAsync } from '@babel/core';
// In one file: under the conditions of the tests the other build finds what it needs as modules, and takes them for CommonJS.
import { compileScript, parse } from '@vue/compiler-sfc/dist/compiler-sfc.esm-browser.js';
import solid from 'babel-preset-solid';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { compile } from 'svelte/compiler';

/** The place that a bundle runs in. */
export type Place = 'page' | 'server';

/** How each framework compiles its components. */
const COMPILERS: Readonly<Record<string, (place: Place) => Plugin | undefined>> = {
  vue: (place) =>
    loader(/\.vue$/, async (source, filename) => {
      const { descriptor } = parse(source, { filename });
      const ssr = place === 'server';
      const templateOptions = { ssr, ssrCssVars: [] };
      return compileScript(descriptor, { id: filename, inlineTemplate: true, templateOptions }).content;
    }),
  svelte: (place) =>
    loader(
      /\.svelte$/,
      async (source, filename) =>
        compile(source, { filename, generate: place === 'page' ? 'client' : 'server' }).js.code,
    ),
  solid: (place) =>
    loader(/solid\/.*\.tsx$|document-.*\.tsx$/, async (source, filename) => {
      const options = { generate: place === 'page' ? 'dom' : 'ssr', hydratable: true };
      const compiled = await transformAsync(source, {
        filename,
        configFile: false,
        presets: [[solid, options]],
        parserOpts: { plugins: ['typescript', 'jsx'] },
      });
      return compiled!.code!;
    }),
  react: () => undefined,
};

function loader(filter: RegExp, compiled: (source: string, filename: string) => Promise<string>): Plugin {
  return {
    name: 'components',
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => ({
        contents: await compiled(await readFile(path, 'utf8'), path),
        loader: 'ts',
      }));
    },
  };
}

const IN_PAGE = {
  format: 'iife',
  // With all of the frameworks' warnings.
  conditions: ['@lumenize/source', 'svelte', 'browser', 'development'],
  define: {
    'process.env.NODE_ENV': '"development"',
    __VUE_OPTIONS_API__: 'true',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'true',
  },
} as const satisfies BuildOptions;
const ON_SERVER = {
  format: 'esm',
  platform: 'node',
  conditions: ['@lumenize/source', 'svelte', 'node'],
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
} as const satisfies BuildOptions;

/** Bundles a script whose components are of a framework, for a page or a server. */
export async function bundleComponents(framework: string, entry: string, place: Place): Promise<string> {
  const plugin = COMPILERS[framework](place);
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    jsx: 'automatic',
    target: 'es2022',
    plugins: plugin && [plugin],
    logLevel: 'error',
    ...(place === 'page' ? IN_PAGE : ON_SERVER),
  });
  if (outputFiles.length !== 1) throw new Error(`${basename(entry)} has become ${outputFiles.length} files`);
  return outputFiles[0].text;
}
