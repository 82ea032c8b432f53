import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The starter, which the build puts beside this module. */
const TEMPLATE = fileURLToPath(new URL('./template', import.meta.url).href);

/** What the starter calls itself, where its name has to be the user's. */
const PLACEHOLDER = 'my-app';
const NAMED = ['package.json', 'wrangler.toml', 'README.md'];

/**
 * Copies the starter into a new folder and returns what to do next.
 * @throws {Error} where no folder is named, it holds something, or its name cannot be that of a Worker
 */
export async function createProject([folder, ...others]: readonly string[]): Promise<string> {
  if (folder === undefined) throw new Error('Which folder should the project be in?');
  if (others.length > 0) throw new Error(`One folder is enough: what is ${others.join(' ')}?`);
  const target = resolve(folder);
  const name = basename(target);
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) {
    throw new Error(`${JSON.stringify(name)} cannot be the name of a Worker: use small letters, digits and dashes`);
  }
  await mkdir(target, { recursive: true });
  if ((await readdir(target)).length > 0) throw new Error(`${folder} is not empty, and nothing was written`);
  await cp(TEMPLATE, target, { recursive: true });
  // npm leaves files of that name out of what it publishes.
  await rename(join(target, 'gitignore'), join(target, '.gitignore'));
  for (const file of NAMED) {
    const path = join(target, file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(PLACEHOLDER, name));
  }
  return `${folder} is ready:\n\n  cd ${folder}\n  npm install\n  npm run dev\n`;
}
