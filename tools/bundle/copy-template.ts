import { cp, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url).href);
const STARTER = join(ROOT, 'examples/starter');
const TEMPLATE = join(ROOT, 'packages/create-lumenize-rpc/dist/template');

/** Puts the starter into the package that `npm create` runs, without what has been installed or built in it. */
export async function copyTemplate(): Promise<void> {
  // Paths and no patterns. Git is not asked: who has the sources by another way builds them too.
  const ignored = new Set((await readFile(join(STARTER, '.gitignore'), 'utf8')).trim().split('\n'));
  await rm(TEMPLATE, { recursive: true, force: true });
  await cp(STARTER, TEMPLATE, { recursive: true, filter: (path) => !ignored.has(relative(STARTER, path)) });
  // npm leaves files of that name out of what it publishes.
  await rename(join(TEMPLATE, '.gitignore'), join(TEMPLATE, 'gitignore'));
}
