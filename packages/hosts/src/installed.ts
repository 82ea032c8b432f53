import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name?: string;
  readonly version: string;
  readonly bin?: string | Record<string, string>;
}

const own = createRequire(import.meta.url);

/** Returns the installed version of the package `name`. */
export function installedVersion(name: string): string {
  return manifest(packageDirectory(name)).version;
}

/** Returns the absolute path of the command that the package `name` installs under its own name. */
export function executable(name: string): string {
  const directory = packageDirectory(name);
  const { bin } = manifest(directory);
  const file = typeof bin === 'string' ? bin : bin?.[name];
  if (!file) throw new Error(`${name} installs no command of that name`);
  return join(directory, file);
}

/** Returns the directory in which the package `name` is installed. */
export function packageDirectory(name: string): string {
  // workerd comes with wrangler and is resolved from there. Another copy would not be the one that wrangler runs.
  const require = name === 'workerd' ? createRequire(join(packageDirectory('wrangler'), 'package.json')) : own;
  let path = dirname(require.resolve(name));
  while (!isRootOf(path, name)) path = dirname(path);
  return path;
}

function manifest(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

function isRootOf(path: string, name: string): boolean {
  try {
    return manifest(path).name === name;
  } catch {
    // There is no package.json here, so the root of the package is further up.
    if (dirname(path) === path) throw new Error(`${name} is not installed`);
    return false;
  }
}
