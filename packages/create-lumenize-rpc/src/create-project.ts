import { cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The starter, which the build puts beside this module. */
const TEMPLATE = fileURLToPath(new URL('./template', import.meta.url).href);

/** The starter's own name, where it has to become the user's. */
const PLACEHOLDER = 'my-app';
const NAMED = ['package.json', 'wrangler.toml', 'README.md'];

/** Matches what Cloudflare takes as a Worker's name: it becomes a part of a host's, which begins and ends with no dash. */
const WORKER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Files that may be there already: those of a repository that has just been made, and what Finder leaves. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store']);

/**
 * Copies the starter into a new folder and returns what to do next.
 * @throws {Error} where no folder is named, it holds something, or its name cannot be that of a Worker
 */
export async function createProject([folder, ...others]: readonly string[]): Promise<string> {
  if (folder === undefined) throw new Error('Which folder should the project be in?');
  if (others.length > 0) throw new Error(`One folder is enough: what is ${others.join(' ')}?`);
  const target = resolve(folder);
  const name = basename(target);
  if (!WORKER_NAME.test(name)) {
    throw new Error(
      `${JSON.stringify(name)} cannot be the name of a Worker: use small letters, digits, and dashes between them`,
    );
  }
  await makeEmpty(target, folder);
  await cp(TEMPLATE, target, { recursive: true });
  // npm leaves files of that name out of what it publishes.
  await rename(join(target, 'gitignore'), join(target, '.gitignore'));
  for (const file of NAMED) {
    const path = join(target, file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(PLACEHOLDER, name));
  }
  const steps = ['npm install', 'npm run dev'];
  if (target !== resolve()) steps.unshift(`cd ${inShell(folder)}`);
  return `${folder} is ready:\n\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** Makes a folder, unless it is there and holds nothing. */
async function makeEmpty(target: string, given: string): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) {
    await mkdir(target, { recursive: true });
    return;
  }
  if (!found.isDirectory()) throw new Error(`${given} is no folder`);
  const isEmpty = (await readdir(target)).every((each) => HARMLESS.has(each));
  if (!isEmpty) throw new Error(`${given} is not empty, and nothing was written`);
}

/** A path as a shell takes it: only the last name of it is one that we have a say in. */
function inShell(path: string): string {
  return /^[\w./~:\\-]+$/.test(path) ? path : JSON.stringify(path);
}
