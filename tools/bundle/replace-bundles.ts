import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Puts bundles into a package's `dist`, by their names there, and removes those of before and declarations of sources that are no
 * more. At no time is a file missing, or half written, that was there and will be: whoever reads `dist` meanwhile, such as a
 * test beside another that builds, finds it whole.
 */
export async function replaceBundles(folder: string, files: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
  const dist = join(folder, 'dist');
  for (const [name, content] of files) await replace(join(dist, name), content);
  const known = existsSync(dist) ? await readdir(dist, { recursive: true }) : [];
  const stale = known.filter((path) => {
    if (path.startsWith('template')) return false;
    const declared = /^(.+)\.d\.ts(?:\.map)?$/.exec(path)?.[1];
    if (declared === undefined) return /\.js(?:\.map)?$/.test(path) && !files.has(path.replaceAll('\\', '/'));
    return !['.ts', '.tsx'].some((extension) => existsSync(join(folder, 'src', declared + extension)));
  });
  await Promise.all(stale.map((path) => rm(join(dist, path), { force: true })));
}

async function replace(path: string, content: string | Uint8Array): Promise<void> {
  const bytes = Buffer.from(content);
  const now = new Date();
  // Its time says when it was last made from the sources, also where that changed nothing.
  if (existsSync(path) && bytes.equals(await readFile(path))) return utimes(path, now, now);
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, bytes);
  await rename(unfinished, path);
}
