import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type ChunkingContext, type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import type { PublishedPackage } from './published-packages.ts';
import { replaceBundles } from './replace-bundles.ts';

/** The package whose code every page and Worker compiles. */
const CORE = '@lumenize/rpc';
/** Packages of ours that are put into the bundles of others: in Node each further file takes as long to load as its code. */
const INLINED = /^@lumenize\/structured-clone(\/|$)/;

/**
 * Bundles a package's sources into a few files of `dist`: a module for each entry, and what they share. `dist` keeps its
 * declarations, which the compiler makes. Where the manifest has the condition `workerd`, `dist/workerd` has the same for it.
 */
export async function bundlePackage(published: PublishedPackage): Promise<void> {
  const files = await bundleFor(published, []);
  if (published.hasWorkerd) {
    for (const [name, content] of await bundleFor(published, ['workerd'])) files.set(`workerd/${name}`, content);
  }
  await replaceBundles(published.folder, files);
}

async function bundleFor(
  { name, folder, entries }: PublishedPackage,
  conditionNames: readonly string[],
): Promise<Map<string, string | Uint8Array>> {
  const bundle = await rolldown({
    cwd: folder,
    input: { ...entries },
    // Other packages. What the bundler itself imports, to do what the target cannot, comes into the bundle.
    external: (id) =>
      !/^[.#]/.test(id) && !isAbsolute(id) && !id.startsWith('@oxc-project/runtime') && !INLINED.test(id),
    resolve: { conditionNames: ['@lumenize/source', ...conditionNames] },
    platform: 'neutral',
    transform: { target: 'es2022' },
    // None of our modules does anything but define: manifests say so too.
    treeshake: { moduleSideEffects: false },
    // An entry that another one leads to has in its file what both share.
    preserveEntrySignatures: 'allow-extension',
    // Numbers and short texts are shorter than their names, which a page's bundler keeps where they come from another file.
    optimization: { inlineConst: { mode: 'all' } },
    plugins: [pureAtTopLevel],
  });
  const entryOf = wholeEntry(entries);
  const dist = join(folder, 'dist', ...conditionNames);
  const { output } = await bundle.generate({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    sourcemap: true,
    // The first result of a fresh page or Worker waits until this is compiled: minified, importing takes a fifth less. The
    // names of classes are seen in errors and by tools.
    minify: {
      compress: true,
      mangle: { toplevel: true, keepNames: { function: false, class: true } },
      codegen: { removeWhitespace: true },
    },
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      groups: [{ debugName: 'whole', name: entryOf }],
    },
  });
  await bundle.close();
  const imported = output.flatMap((file) => (file.type === 'chunk' ? file.imports : []));
  assertDeclared(folder, imported);
  // What describes frames for people may need other characters.
  for (const file of output) if (file.type === 'chunk' && name === CORE) assertNarrow(file);
  return new Map(output.map((file) => [file.fileName, contentOf(file, folder, dist)]));
}

/**
 * Returns the content of a file. Of sources of the package, which are published beside it, a map has the paths only. Of those of
 * other packages it has the text: Vite warns of each source that is outside of the package.
 */
function contentOf(file: OutputChunk | OutputAsset, folder: string, dist: string): string | Uint8Array {
  if (file.type === 'chunk') return file.code;
  if (!file.fileName.endsWith('.map')) return file.source;
  const map = JSON.parse(String(file.source));
  const isOwn = (source: string) => resolve(dist, dirname(file.fileName), source).startsWith(join(folder, 'src'));
  map.sourcesContent = map.sources.map((source: string, index: number) =>
    isOwn(source) ? null : map.sourcesContent[index],
  );
  return JSON.stringify(map);
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
 * Makes sure that a file has no character beyond Latin-1: engines would keep all of it with two bytes a character, and take longer
 * to compile it.
 * @throws {Error} where it has
 */
function assertNarrow({ code, fileName }: { readonly code: string; readonly fileName: string }): void {
  const [wide] = /[^\0-\xff].{0,40}/u.exec(code) ?? [];
  if (wide !== undefined) throw new Error(`${fileName} has a character that takes two bytes: ${wide}`);
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

/** Entries whose files have all that they lead to, unless one before has it: the others import from these. */
const WHOLE = ['index', 'server'];

/** Tells the entry of `WHOLE` whose file a module belongs to; null where none of them leads to it, or it is an entry of its own. */
function wholeEntry(
  entries: Readonly<Record<string, string>>,
): (id: string, context: ChunkingContext) => string | null {
  const sources = new Set(Object.values(entries));
  const reached = new Map<string, ReadonlySet<string>>();
  return (id, context) => {
    for (const name of WHOLE.filter((each) => each in entries)) {
      if (!reached.has(name)) reached.set(name, modulesFrom(entries[name], context));
      if (reached.get(name)!.has(id) && (id === entries[name] || !sources.has(id))) return name;
    }
    return null;
  };
}

function modulesFrom(entry: string, context: ChunkingContext): Set<string> {
  const modules = new Set([entry]);
  // The set grows while it is gone through.
  for (const id of modules) {
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) modules.add(next);
  }
  return modules;
}
