import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type PublishedPackage, publishedPackages } from '../../tools/bundle/published-packages.ts';
import { type Packed, packAll } from '../../tools/release/pack.ts';
import { projectFolder } from '../support/serve-counter.ts';

const run = promisify(execFile);
const SOURCES = fileURLToPath(new URL('./project', import.meta.url).href);
/** For tests inside the Workers runtime, of which it needs what only @cloudflare/vitest-plugin brings there. */
export const IN_TESTS = '@lumenize/rpc/testing/workers';
const INSTALL = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

/** A user's project outside of the workspace, with the packages installed as npm would publish them. */
export class PackedProject implements AsyncDisposable {
  readonly folder: string;
  /** The packages that were packed, with what they hold. */
  readonly packages: readonly PublishedPackage[];
  /** Their archives, in the order of the packages. */
  readonly packed: readonly Packed[];

  private constructor(folder: string, packages: readonly PublishedPackage[], packed: readonly Packed[]) {
    this.folder = folder;
    this.packages = packages;
    this.packed = packed;
  }

  /**
   * Packs what has been built, and installs it.
   * @throws {Error} where sources are newer than what has been built from them
   */
  static async create(): Promise<PackedProject> {
    const packages = publishedPackages();
    await assertBuilt(packages);
    const folder = await mkdtemp(join(tmpdir(), 'lumenize-packed-'));
    await using unfinished = new AsyncDisposableStack();
    unfinished.defer(() => rm(folder, { recursive: true, force: true }));
    const packed = await packAll(packages, folder);
    const project = new PackedProject(folder, packages, packed);
    await cp(SOURCES, folder, { recursive: true });
    await install(
      folder,
      packed.map(({ archive }) => archive),
    );
    await Promise.all(toLink(packages).map((name) => project.#link(name)));
    unfinished.move();
    return project;
  }

  /** What users import of all packages, wherever their code runs. */
  get specifiers(): string[] {
    return this.packages.flatMap(({ specifiers }) => specifiers).filter((specifier) => specifier !== IN_TESTS);
  }

  /** Of these, what needs a framework: pages have one, and Workers have no use for it. */
  get specifiersInPages(): string[] {
    return this.packages.filter(isForFramework).flatMap(({ specifiers }) => specifiers);
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What a user installs beside the packages is the workspace's own: it would only take time. */
  async #link(name: string): Promise<void> {
    const link = join(this.folder, 'node_modules', name);
    const target = join(projectFolder, 'node_modules', name);
    if (existsSync(link) || !existsSync(target)) return;
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
}

/** Installs packages, from archives or from the registry, in a folder that becomes a project. `cache` is npm's, if not the usual one. */
export async function install(folder: string, wanted: readonly string[], cache?: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = { private: true, type: 'module', allowScripts: { node: true } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  const options = cache === undefined ? INSTALL : [...INSTALL, '--cache', cache];
  const timeout = cache === undefined ? 90_000 : 600_000;
  await run('npm', [...options, ...wanted], { cwd: folder, env: cleanEnvironment(), timeout });
}

function isForFramework({ folder }: PublishedPackage): boolean {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder);
  // Cap'n Web is no framework of pages: servers need it.
  return Object.keys(peerDependencies).some((name) => name !== 'capnweb' && !peerDependenciesMeta[name]?.optional);
}

interface Peers {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

function manifestOf(folder: string): Peers {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Tools and the types of the Workers runtime, and what packages leave to their users to install, with its types. */
function toLink(packages: readonly PublishedPackage[]): string[] {
  const peers = packages.flatMap(({ folder }) => Object.keys(manifestOf(folder).peerDependencies ?? {}));
  const tools = ['@cloudflare/workers-types', '@cloudflare/vitest-plugin', 'vite', 'vitest'];
  return [...new Set([...tools, ...peers, ...peers.map((name) => `@types/${name}`)])];
}

/** Returns the version of a package that the workspace has. */
export async function versionHere(name: string): Promise<string> {
  return JSON.parse(await readFile(join(projectFolder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/** What npm was told by whoever started this, such as a workspace, is not meant for another project. */
export function cleanEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^npm_(config|package)_/i.test(name)));
}

/**
 * Makes sure that what is built is what the sources say.
 * @throws {Error} where sources are newer
 */
export async function assertBuilt(packages: readonly PublishedPackage[]): Promise<void> {
  await Promise.all(packages.map(assertOneBuilt));
}

async function assertOneBuilt({ name, folder, entries }: PublishedPackage): Promise<void> {
  const built = await Promise.all(Object.keys(entries).map((entry) => modifiedAt(join(folder, 'dist', `${entry}.js`))));
  const sources = (await readdir(join(folder, 'src'), { recursive: true })).filter((path) => /\.tsx?$/.test(path));
  const edited = await Promise.all(sources.map((path) => modifiedAt(join(folder, 'src', path))));
  if (Math.max(...edited) > Math.min(...built)) throw new Error(`${name} is not built as it is now: run npm run build`);
}

async function modifiedAt(path: string): Promise<number> {
  return existsSync(path) ? (await stat(path)).mtimeMs : 0;
}
