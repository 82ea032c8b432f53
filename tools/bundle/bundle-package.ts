import { readFileSync } from 'node:fs';
import { isAbsolute, join, parse } from 'node:path';
import { type ChunkingContext, type Plugin, rolldown } from 'rolldown';
import type { PublishedPackage } from './published-packages.ts';
import { replaceBundles } from './replace-bundles.ts';

/**
 * Bundles a package's sources into a few files of `dist`: a module for each entry, one for each part that is loaded when
 * it is needed, and what they share. `dist` keeps its declarations, which the compiler makes.
 */
export async function bundlePackage({ folder, entries }: PublishedPackage): Promise<void> {
  const bundle = await rolldown({
    cwd: folder,
    input: { ...entries },
    // Other packages, and what conditions choose when the package is used: `#platform` and `#worker`. What the bundler
    // itself imports, to do what the target cannot, comes into the bundle.
    external: (id) => !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@oxc-project/runtime'),
    platform: 'neutral',
    transform: { target: 'es2022' },
    // None of our modules does anything but define: manifests say so too.
    treeshake: { moduleSideEffects: false },
    // Numbers and short texts are shorter than their names, which a page's bundler keeps where they come from another file.
    optimization: { inlineConst: { mode: 'all' } },
    plugins: [pureAtTopLevel, partsAsEntries],
  });
  const isCore = loadedAtOnce(entries.index);
  const { output } = await bundle.generate({
    dir: join(folder, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    // They lie beside it: what is published has the sources, to which declarations lead too.
    sourcemapExcludeSources: true,
    // Shorter by syntax, but with names and lines: what remains is for the bundler of whoever uses it.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      groups: [{ debugName: 'core', name: (id, context) => (isCore(id, context) ? 'core' : null) }],
    },
  });
  await bundle.close();
  const imported = output.flatMap((file) => (file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : []));
  assertDeclared(folder, imported);
  const files = output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source] as const);
  await replaceBundles(folder, new Map(files));
}

/**
 * Makes sure that what is imported is what is installed with the package: a helper of the compiler's, such as for `using`, is not.
 * @throws {Error} where it is not
 */
function assertDeclared(folder: string, imported: readonly string[]): void {
  const {
    name,
    dependencies = {},
    peerDependencies = {},
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const declared = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  for (const id of imported) {
    const isElsewhere = /^(#|node:|cloudflare:)/.test(id) || id.endsWith('.js');
    const isDeclared = declared.some((each) => id === each || id.startsWith(`${each}/`));
    if (!isElsewhere && !isDeclared) throw new Error(`${name} imports ${id}, which its package.json does not name`);
  }
}

/**
 * Says of constants what the manifest says of modules: that making them has no effect. Bundlers leave out a module that
 * nobody uses; of a chunk made of many they would keep all constants that are made by a call, and what these lead to.
 */
const pureAtTopLevel: Plugin = {
  name: 'pure-at-top-level',
  transform: (code) => ({
    code: code.replace(
      /^(?:export )?const \w+(?:: [^=]+)? = (?=new |[A-Za-z][\w.]*(?:<.*>)?\()/gm,
      '$&/* @__PURE__ */ ',
    ),
    // Lines stay what they are.
    map: null,
  }),
};

/** Makes each part that is loaded by `import()` an entry: as a chunk among others, its exports would be wrapped. */
const partsAsEntries: Plugin = {
  name: 'parts-as-entries',
  moduleParsed({ dynamicallyImportedIds }) {
    for (const id of dynamicallyImportedIds.filter(isAbsolute)) {
      this.emitFile({ type: 'chunk', id, fileName: `parts/${parse(id).name}.js`, preserveSignature: 'strict' });
    }
  },
};

/**
 * Tells which modules the main entry loads at once, where it loads others when they are needed. These are one chunk: a
 * bundler that splits a page's code sees one module, where it would else make files of its own for what each part shares
 * with each other. Without parts there is nothing to split, and entries may be there to be loaded one after the other.
 */
function loadedAtOnce(main: string | undefined): (id: string, context: ChunkingContext) => boolean {
  let atOnce: ReadonlySet<string> | undefined;
  return (id, context) => {
    atOnce ??= main === undefined ? new Set() : modulesAtOnce(main, context);
    return id !== main && atOnce.has(id);
  };
}

function modulesAtOnce(main: string, context: ChunkingContext): Set<string> {
  const modules = new Set([main]);
  let hasParts = false;
  for (const id of modules) {
    const { importedIds = [], dynamicallyImportedIds = [] } = context.getModuleInfo(id) ?? {};
    for (const next of importedIds) modules.add(next);
    hasParts ||= dynamicallyImportedIds.length > 0;
  }
  return hasParts ? modules : new Set();
}
