import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { PublishedPackage } from '../bundle/published-packages.ts';
import { publishedManifest } from './published-manifest.ts';

const run = promisify(execFile);
/** What npm packs of each package beside what its manifest lists. */
const ALWAYS = ['README.md', 'LICENSE'];

/** A packed package: where its archive is, and what users download and install. */
export interface Packed {
  readonly name: string;
  readonly archive: string;
  /** Bytes of the archive. */
  readonly size: number;
  /** Bytes of the files in it. */
  readonly unpackedSize: number;
  /** The paths of these. */
  readonly files: readonly string[];
}

/** Packs packages, as `pack` does. When it resolves or rejects, nothing is written any more. */
export async function packAll(packages: readonly PublishedPackage[], destination: string): Promise<Packed[]> {
  const settled = await Promise.allSettled(packages.map((each) => pack(each, destination)));
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Packs a package, which must have been built, as it would be published. The archive is in the folder `archives` of `destination`. */
export async function pack({ name, folder }: PublishedPackage, destination: string): Promise<Packed> {
  const archives = join(destination, 'archives');
  const staged = join(destination, 'staged', basename(folder));
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  await Promise.all([archives, staged].map((each) => mkdir(each, { recursive: true })));
  for (const path of [...manifest.files, ...ALWAYS]) {
    if (existsSync(join(folder, path))) await cp(join(folder, path), join(staged, path), { recursive: true });
  }
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(publishedManifest(manifest), null, 2)}\n`);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', archives];
  const { stdout } = await run('npm', args, { cwd: staged });
  const [{ filename, size, unpackedSize, files }] = JSON.parse(stdout);
  return {
    ...{ name, archive: join(archives, filename), size, unpackedSize },
    files: files.map(({ path }: { path: string }) => path),
  };
}
