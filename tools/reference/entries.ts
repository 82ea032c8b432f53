import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url).href);

/** A module that users import. */
export interface Entry {
  /** What they write, such as `@lumenize/rpc/server`. */
  readonly specifier: string;
  readonly source: string;
  /** Its page in `docs/reference`. */
  readonly page: string;
  /** What it is for, as the README of its package says. */
  readonly purpose: string;
  readonly stability: 'stable' | 'experimental';
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, { readonly '@lumenize/source': string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** What several packages export again is described on its own page, which comes first. */
const SHARED = '@lumenize/stores';

/**
 * Finds what the manifests of published packages export.
 * @throws {Error} where the README of a package has no row for an entry, or one without its stability
 */
export function findEntries(): Entry[] {
  return globSync('packages/*/package.json', { cwd: ROOT })
    .sort()
    .map((path) => join(ROOT, dirname(path)))
    .sort((a, b) => Number(isBasedOnShared(a)) - Number(isBasedOnShared(b)))
    .flatMap(entriesOf);
}

function entriesOf(folder: string): Entry[] {
  const { name, private: isPrivate, exports = {} }: Manifest = JSON.parse(read(folder, 'package.json'));
  if (isPrivate) return [];
  return Object.entries(exports).map(([path, conditions]) => {
    const specifier = join(name, path);
    const row = read(folder, 'README.md').match(
      new RegExp(`^\\| \`${specifier}\` \\| (.+) \\| (stable|experimental) \\|$`, 'm'),
    );
    if (row === null)
      throw new Error(
        `${folder}/README.md: the table of entries has no row for ${specifier} that says how stable it is`,
      );
    return {
      specifier,
      source: join(folder, conditions['@lumenize/source']),
      page: `${specifier.replace(/^@.*?\//, '').replaceAll('/', '-')}.md`,
      purpose: row[1],
      stability: row[2] as Entry['stability'],
    };
  });
}

function isBasedOnShared(folder: string): boolean {
  const { dependencies = {} }: Manifest = JSON.parse(read(folder, 'package.json'));
  return SHARED in dependencies;
}

function read(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}
