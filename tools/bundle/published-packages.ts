import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url).href);

/** A package that is published: its folder, and the modules that users or conditions can name. */
export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** What users import, such as `@lumenize/rpc/server`. */
  readonly specifiers: readonly string[];
  /** Sources of the modules that `exports` and `bin` name, by their paths in `dist` without an extension. */
  readonly entries: Readonly<Record<string, string>>;
  /** The same of the modules that `imports` names, between which conditions choose. */
  readonly chosen: Readonly<Record<string, string>>;
  /** The names of the entries that have declarations. */
  readonly declared: readonly string[];
  /** The names of the modules that imports such as `#platform` lead to if no condition chooses another. */
  readonly defaults: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly imports?: Readonly<Record<string, { readonly default: string }>>;
  readonly bin?: object | string;
}

/**
 * Finds the packages that are published, from their manifests, so that an entry is listed in one place only:
 * `dist/x.js` is made from `src/x.ts`.
 * @throws {Error} if an entry has no source
 */
export function publishedPackages(): PublishedPackage[] {
  return readdirSync(PACKAGES)
    .sort()
    .flatMap((name) => readPackage(join(PACKAGES, name)) ?? []);
}

function readPackage(folder: string): PublishedPackage | undefined {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, private: isPrivate, exports = {}, imports = {}, bin } = manifest;
  if (isPrivate) return undefined;
  const sourcesOf = (names: readonly string[]) =>
    Object.fromEntries(names.map((path) => [path, sourceOf(folder, path)]));
  return {
    name,
    folder,
    specifiers: Object.keys(exports).map((path) => join(name, path)),
    entries: sourcesOf(namesIn([exports, bin], '.js')),
    chosen: sourcesOf(namesIn(imports, '.js')),
    declared: namesIn(exports, '.d.ts'),
    defaults: Object.fromEntries(
      Object.entries(imports).map(([name, conditions]) => [name, namesIn(conditions.default, '.js')[0]]),
    ),
  };
}

function namesIn(part: unknown, extension: '.js' | '.d.ts'): string[] {
  const paths = JSON.stringify(part).matchAll(/"(?:\.\/)?dist\/([^"]+?)(\.d\.ts|\.js)"/g);
  return [...paths].filter(([, , each]) => each === extension).map(([, path]) => path);
}

function sourceOf(folder: string, path: string): string {
  const source = ['.ts', '.tsx'].map((extension) => join(folder, 'src', path + extension)).find(existsSync);
  if (source === undefined)
    throw new Error(`${folder}/package.json names dist/${path}.js, but there is no src/${path}.ts`);
  return source;
}
