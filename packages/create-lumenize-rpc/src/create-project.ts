import { cp, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The template of a project. The build puts it beside this module. */
const TEMPLATE = fileURLToPath(new URL('./template', import.meta.url).href);

/** The name of the template, which is replaced by the name of the user's project. */
const PLACEHOLDER = 'my-app';
const NAMED = ['package.json', 'wrangler.toml', 'README.md'];

/**
 * Matches names that Cloudflare accepts for a Worker. The name becomes part of a hostname, which must not begin or end
 * with a dash.
 */
const WORKER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Files that the folder may contain already: those of a new repository, and those that Finder creates. */
const HARMLESS: ReadonlySet<string> = new Set(['.git', '.DS_Store']);

/**
 * Copies the template into a new folder. Returns the next steps for the user.
 * @throws {Error} if no folder is given, if the folder is not empty, or if its name cannot be that of a Worker
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
  // npm does not publish files named `.gitignore`.
  await rename(join(target, 'gitignore'), join(target, '.gitignore'));
  for (const file of NAMED) {
    const path = join(target, file);
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(PLACEHOLDER, name));
  }
  const steps = [...(await installSteps()), 'npm run dev'];
  if (target !== resolve()) steps.unshift(`cd ${inShell(folder)}`);
  return `${folder} is ready:\n\n${steps.map((step) => `  ${step}\n`).join('')}`;
}

/** The packages that the template needs. */
const NEEDED = ['structured-clone', 'rpc', 'cli'];

/**
 * Returns the commands that install what the project needs. From a clone of the repository these are archives of its
 * packages, because that version may not be on npm.
 */
async function installSteps(): Promise<string[]> {
  const packages = fileURLToPath(new URL('../..', import.meta.url).href);
  const isClone = await readFile(join(packages, 'rpc/package.json'), 'utf8').then(
    (manifest) => JSON.parse(manifest).name === '@lumenize/rpc',
    () => false,
  );
  if (!isClone) return ['npm install'];
  return [`npm pack ${NEEDED.map((name) => inShell(join(packages, name))).join(' ')}`, 'npm install ./*.tgz'];
}

/** Creates a folder, or accepts an existing empty one. */
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

/** Returns a path as a shell reads it. Only the last name in the path has been checked. */
function inShell(path: string): string {
  return /^[\w./~:\\-]+$/.test(path) ? path : JSON.stringify(path);
}
