import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url).href);

/** What is published: its folder, and the modules that its users, or conditions, can name. */
export interface PublishedPackage {
  readonly name: string;
  readonly folder: string;
  /** What users import, such as `@lumenize/rpc/server`. */
  readonly specifiers: readonly string[];
  /** Sources of the modules that `exports` and `bin` name, by their paths in `dist` without an extension. */
  readonly entries: Readonly<Record<string, string>>;
  /** Whether it is made a second time for the Workers runtime, in `dist/workerd`. */
  readonly hasWorkerd: boolean;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly bin?: object | string;
}

/**
 * Finds the packages that are published, by what their manifests say, so that an entry is listed in one place only:
 * `dist/x.js` is made from `src/x.ts`.
 * @throws {Error} where an entry has no source
 */
export function publishedPackages(): PublishedPackage[] {
  return readdirSync(PACKAGES)
    .sort()
    .flatMap((name) => readPackage(join(PACKAGES, name)) ?? []);
}

function readPackage(folder: string): PublishedPackage | undefined {
  const {
    name,
    private: isPrivate,
    exports = {},
    bin,
  }: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (isPrivate) return undefined;
  const named = JSON.stringify([exports, bin]).matchAll(/"(?:\.\/)?dist\/(workerd\/)?([^"]+)\.js"/g);
  const paths = [...named];
  const entries = Object.fromEntries(paths.map(([, , path]) => [path, sourceOf(folder, path)]));
  const hasWorkerd = paths.some(([, workerd]) => workerd !== undefined);
  return { name, folder, specifiers: Object.keys(exports).map((path) => join(name, path)), entries, hasWorkerd };
}

function sourceOf(folder: string, path: string): string {
  const source = ['.ts', '.tsx'].map((extension) => join(folder, 'src', path + extension)).find(existsSync);
  if (source === undefined)
    throw new Error(`${folder}/package.json names dist/${path}.js, but there is no src/${path}.ts`);
  return source;
}
