import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type ChunkingContext, type Plugin, rolldown } from 'rolldown';
import { bundleDeclarations } from './bundle-declarations.ts';
import { modulesFrom } from './modules-from.ts';
import type { PublishedPackage } from './published-packages.ts';
import { replaceDist } from './replace-dist.ts';

/** The package whose code every page and Worker compiles. */
const CORE = '@lumenize/rpc';
/** Packages of ours that are put into the bundles of others: in Node each further file takes as long to load as its code. */
const INLINED = /^@lumenize\/structured-clone(\/|$)/;

/**
 * Bundles a package's sources, and the declarations that the compiler made of them, into a few files of `dist`: a module and a
 * declaration for each entry, and what they share.
 */
export async function bundlePackage(published: PublishedPackage): Promise<void> {
  const { entries, chosen } = published;
  const parts = await Promise.all([
    bundleCode(published, entries),
    // By themselves: beside modules that await something, the bundler puts an entry's code into a file beside the entry.
    bundleCode(published, chosen),
    bundleDeclarations(published),
  ]);
  await replaceDist(published.folder, new Map(parts.flatMap((files) => [...files])));
}

async function bundleCode(
  { name, folder }: PublishedPackage,
  entries: PublishedPackage['entries'],
): Promise<Map<string, string>> {
  if (Object.keys(entries).length === 0) return new Map();
  const bundle = await rolldown({
    cwd: folder,
    input: { ...entries },
    // Other packages, and modules that the conditions of whoever uses the package choose. What the bundler itself imports, to do
    // what the target cannot, comes into the bundle.
    external: (id) =>
      !id.startsWith('.') && !isAbsolute(id) && !id.startsWith('@oxc-project/runtime') && !INLINED.test(id),
    resolve: { conditionNames: ['@lumenize/source'] },
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
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
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
  const chunks = output.filter((file) => file.type === 'chunk');
  assertDeclared(
    folder,
    chunks.flatMap(({ imports }) => imports),
  );
  // What describes frames for people may need other characters.
  for (const chunk of chunks) if (name === CORE) assertNarrow(chunk);
  return new Map(chunks.map(({ fileName, code }) => [fileName, code]));
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
