import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Puts files into a package's `dist`, by their names there, and removes all others. At no time is a file missing, or half
 * written, that was there and will be: whoever reads `dist` meanwhile, such as a test beside another that builds, finds it
 * whole.
 */
export async function replaceDist(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const dist = join(folder, 'dist');
  for (const [name, content] of files) await replace(join(dist, name), content);
  const known = await readdir(dist, { recursive: true, withFileTypes: true });
  const wanted = new Set([...files.keys()].map((name) => join(dist, name)));
  // The template of `npm create` is put there by itself.
  const stale = known
    .map((each) => join(each.parentPath, each.name))
    .filter(
      (path, index) => !known[index].isDirectory() && !wanted.has(path) && !path.startsWith(join(dist, 'template')),
    );
  await Promise.all(stale.map((path) => rm(path, { force: true })));
}

async function replace(path: string, content: string): Promise<void> {
  const now = new Date();
  // Its time says when it was last made from the sources, also where that changed nothing.
  if (existsSync(path) && content === (await readFile(path, 'utf8'))) return utimes(path, now, now);
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, content);
  await rename(unfinished, path);
}
