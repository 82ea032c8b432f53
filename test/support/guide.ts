import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeBlocks, promisedOutput } from './code-blocks.ts';
import { projectFolder } from './serve-counter.ts';
import { EVICT, serveEvictable } from './serve-evictable.ts';
import { readWorker } from './workerd.ts';

const run = promisify(execFile);
const guidesFolder = join(projectFolder, 'docs/guides');

/** A guide, and its blocks of code by file name, with the `wrangler.toml` of its Worker. */
export interface Guide {
  readonly name: string;
  readonly text: string;
  readonly blocks: ReadonlyMap<string, string>;
  /** Files that print something, and so are run. */
  readonly programs: readonly string[];
}

/** Returns the names of the documents in the folder of guides. */
export async function guideNames(): Promise<string[]> {
  return (await readdir(guidesFolder)).filter((name) => name.endsWith('.md')).sort();
}

export async function readGuide(name: string): Promise<Guide> {
  const text = await readFile(join(guidesFolder, name), 'utf8');
  const blocks = codeBlocks(text);
  const worker = blocks.get('worker.ts');
  if (worker !== undefined && !blocks.has('wrangler.toml')) blocks.set('wrangler.toml', configOf(worker));
  const programs = [...blocks].filter(([, code]) => promisedOutput(code).length > 0).map(([file]) => file);
  return { name, text, blocks, programs };
}

/** The configuration of a Worker, as Getting started shows it: a binding for each Durable Object of its `env`. */
function configOf(worker: string): string {
  const classes = [...worker.matchAll(/^export class (\w+)/gm)].map(([, name]) => name);
  const named = (binding: string) => classes.find((name) => name.toUpperCase() === binding);
  const bindings = [...worker.matchAll(/(\w+): DurableObjectNamespace(?:<(\w+)>)?/g)].map(
    ([, binding, className = named(binding)]) =>
      `[[durable_objects.bindings]]\nname = "${binding}"\nclass_name = "${className}"\n`,
  );
  return `main = "worker.ts"\ncompatibility_date = "2026-10-15"\n${bindings.join('')}`;
}

/** Returns a guide without the code of some of its folders. */
export function withoutFolders(guide: Guide, isLeftOut: (folder: string) => boolean): Guide {
  const isKept = (file: string) => !file.includes('/') || !isLeftOut(file.split('/', 1)[0]);
  const blocks = new Map([...guide.blocks].filter(([file]) => isKept(file)));
  return { ...guide, blocks, programs: guide.programs.filter(isKept) };
}

/** Files of a guide that are neither run, nor used by one that is, nor part of its Worker. */
export function unusedFiles({ blocks, programs }: Guide): string[] {
  const config = blocks.get('wrangler.toml');
  const used = new Set(programs);
  if (config !== undefined) used.add('wrangler.toml').add(/^main = "(.+)"$/m.exec(config)![1]);
  for (const file of used) {
    for (const [, imported] of blocks.get(file)?.matchAll(/from '\.\/(.+)'/g) ?? []) used.add(imported);
  }
  return [...blocks.keys()].filter((file) => !used.has(file));
}

/** Where the code of guides is written: inside the project, so that it finds the packages. */
export class GuidesWorkspace implements AsyncDisposable {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(guides: readonly Guide[]): Promise<GuidesWorkspace> {
    await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
    const workspace = new GuidesWorkspace(await mkdtemp(join(projectFolder, 'test/dist/guides-')));
    for (const guide of guides) {
      await mkdir(workspace.#folderOf(guide));
      for (const [file, code] of guide.blocks) await writeFile(join(workspace.#folderOf(guide), file), code);
    }
    return workspace;
  }

  /** Compiles the code of all guides; returns what is wrong with it. */
  async compile(): Promise<string> {
    const config = { extends: '../../types/tsconfig.json', include: ['.'] };
    await writeFile(join(this.#folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', this.#folder]).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  }

  /** Runs a program in Node, with the guide's Worker where it has one; returns the lines it prints. */
  async run(guide: Guide, file: string): Promise<string[]> {
    const folder = this.#folderOf(guide);
    await using worker = guide.blocks.has('wrangler.toml')
      ? await serveEvictable(await readWorker(join(folder, 'wrangler.toml')), folder)
      : undefined;
    let program = file;
    if (worker !== undefined) {
      program = `served-${file}`;
      await writeFile(join(folder, program), atWorker(guide.blocks.get(file)!, worker.port));
    }
    const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(folder, program)]);
    return stdout.trim().split('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #folderOf({ name }: Guide): string {
    return join(this.#folder, name.replace(/\.md$/, ''));
  }
}

/** Where a program waits until the object hibernates. */
const IDLE = 'await new Promise((resolve) => setTimeout(resolve, 15_000));';

/** The program as it is run: at the port of the Worker, and without waiting for what can be asked for. */
function atWorker(code: string, port: number): string {
  const evict = `if (!(await fetch('http://127.0.0.1:${port}${EVICT}')).ok) throw new Error('nothing was evicted');`;
  return code.replaceAll('localhost:8787', `127.0.0.1:${port}`).replaceAll(IDLE, evict);
}
