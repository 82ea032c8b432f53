import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The packages whose versions a run depends on. */
export type PackageName = 'capnweb' | 'esbuild' | 'wrangler' | 'workerd' | CodecPackage;

/** The packages of the codecs that the values family compares with. */
export type CodecPackage = 'cbor-x' | 'devalue' | 'msgpackr' | 'seroval' | 'superjson';

/** All of them. */
export const CODEC_PACKAGES: readonly CodecPackage[] = ['cbor-x', 'devalue', 'msgpackr', 'seroval', 'superjson'];

interface Manifest {
  readonly version: string;
  readonly bin?: string | Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const own = createRequire(import.meta.url);

/** Returns the version of `name` that is installed. */
export function installedVersion(name: PackageName): string {
  return manifest(name).version;
}

/** Returns the absolute path of the command that package `name` installs under its own name. */
export function executable(name: PackageName): string {
  const { bin } = manifest(name);
  const file = typeof bin === 'string' ? bin : bin?.[name];
  if (!file) throw new Error(`${name} installs no command of that name`);
  return join(directory(name), file);
}

/** Throws unless the installed version of a peer is the one that this package asks for. */
export function assertPinned(name: PackageName): void {
  const wanted = read(new URL('../../package.json', import.meta.url)).dependencies?.[name];
  const found = installedVersion(name);
  if (found !== wanted)
    throw new Error(`${name} ${found} is installed, but the benchmark asks for ${wanted}; run npm ci`);
}

/** Returns the directory in which `name` is installed. */
export function packageDirectory(name: PackageName): string {
  return directory(name);
}

function manifest(name: PackageName): Manifest {
  return read(join(directory(name), 'package.json'));
}

function read(path: string | URL): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

function directory(name: PackageName): string {
  // workerd comes with wrangler and is looked up from there: another copy would not be the one that wrangler runs.
  const require = name === 'workerd' ? createRequire(join(directory('wrangler'), 'package.json')) : own;
  let path = dirname(require.resolve(name));
  while (!isRootOf(path, name)) path = dirname(path);
  return path;
}

function isRootOf(path: string, name: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { name?: string }).name === name;
  } catch {
    // No package.json here: the package's root is further up.
    if (dirname(path) === path) throw new Error(`${name} is not installed`);
    return false;
  }
}
