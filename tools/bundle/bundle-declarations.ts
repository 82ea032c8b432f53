import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChunkingContext, rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { modulesFrom } from './modules-from.ts';
import type { PublishedPackage } from './published-packages.ts';

/**
 * Bundles the declarations that the compiler has put into a package's `build`: a file for each entry, and what several entries
 * share. Docstrings stay, for editors.
 */
export async function bundleDeclarations(published: PublishedPackage): Promise<Map<string, string>> {
  const { folder, declared, defaults } = published;
  if (declared.length === 0) return new Map();
  const pathOf = (name: string) => join(folder, 'build', `${name}.d.ts`);
  const entries = Object.fromEntries(declared.map((name) => [name, pathOf(name)]));
  const bundle = await rolldown({
    cwd: folder,
    input: entries,
    preserveEntrySignatures: 'allow-extension',
    // Other packages: a type that two of ours have in common is one type.
    external: /^[@a-z]/,
    plugins: [
      { name: 'defaults', resolveId: (id) => (id in defaults ? pathOf(defaults[id]) : undefined) },
      // The compiler has generated them: the generator, of those the one that needs nothing, is never asked.
      dts({ dtsInput: true, sourcemap: false, tsconfig: false, generator: 'oxc' }),
    ],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].ts',
    chunkFileNames: 'chunks/[name].ts',
    // Compilers show and write these names.
    minifyInternalExports: false,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'declarations', name: chunkOf(entries), minSize: 1200 }],
    },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  return new Map(
    await Promise.all(
      chunks.map(async ({ fileName, code, moduleIds }) => [fileName, (await referencesIn(moduleIds)) + code] as const),
    ),
  );
}

/** Returns the lines by which modules ask for what a compiler declares, such as `esnext.disposable`: the bundler drops them. */
async function referencesIn(modules: readonly string[]): Promise<string> {
  const codes = await Promise.all(modules.map((path) => readFile(path, 'utf8')));
  const lines = codes.flatMap((code) => code.match(/^\/\/\/ <reference .+$/gm) ?? []);
  return [...new Set(lines)].map((line) => `${line}\n`).join('');
}

/**
 * Leaves in entries what they declare themselves, and puts the rest into a file for the first entry that leads to it: after the
 * main entry, of which every program reads something, those that lead to least, so that what a page imports does not lead to
 * what only Workers declare. Compilers name what an entry exports from elsewhere by the entry, but what it declares in full.
 */
function chunkOf(entries: Readonly<Record<string, string>>): (id: string, context: ChunkingContext) => string | null {
  let reached: [name: string, modules: ReadonlySet<string>][] | undefined;
  const own = new Set(Object.values(entries));
  return (id, context) => {
    reached ??= Object.entries(entries)
      .map(([name, path]): [string, ReadonlySet<string>] => [name, modulesFrom(path, context)])
      .sort(([a, { size }], [b, other]) => Number(b === 'index') - Number(a === 'index') || size - other.size);
    if (own.has(id)) return null;
    const first = reached.find(([, modules]) => modules.has(id));
    return first === undefined ? null : `${first[0].replaceAll('/', '-')}.d`;
  };
}
