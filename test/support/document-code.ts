import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeBlocks } from './code-blocks.ts';
import { projectFolder } from './serve-counter.ts';

const run = promisify(execFile);

/** The code of a document, in a folder of its own inside the project, so that it finds the packages. Disposing removes it. */
export class DocumentCode implements AsyncDisposable {
  readonly folder: string;
  /** The blocks of code, by the names of their files. */
  readonly blocks: ReadonlyMap<string, string>;

  private constructor(folder: string, blocks: ReadonlyMap<string, string>) {
    this.folder = folder;
    this.blocks = blocks;
  }

  /**
   * Writes down the code of a document, whose path is from the project's folder. `docs/guides/moving.md#fetch` is the code of
   * its folder `fetch` only, by names that are from there.
   */
  static async of(document: string): Promise<DocumentCode> {
    const [path, part] = document.split('#', 2);
    const all = codeBlocks(await readFile(join(projectFolder, path), 'utf8'));
    const blocks = part === undefined ? all : blocksIn(part, all);
    await mkdir(join(projectFolder, 'test/dist'), { recursive: true });
    const folder = await mkdtemp(join(projectFolder, 'test/dist/document-'));
    const code = new DocumentCode(folder, blocks);
    await Promise.all([...blocks].map(([name, text]) => code.write(name, text)));
    return code;
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
    await writeFile(join(this.folder, name), text);
  }

  async read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  /** Copies a file or folder of the project, which the code needs and the document does not show. */
  async add(path: string, to = '.'): Promise<void> {
    await cp(join(projectFolder, path), join(this.folder, to), { recursive: true });
  }

  /** The folders that have a `tsconfig.json` of their own. */
  get programs(): string[] {
    return [...this.blocks.keys()].filter((name) => name.endsWith('/tsconfig.json')).map(dirname);
  }

  /** Returns what a compiler says of the code outside of `programs`: nothing, where it is as it should be. */
  async typeErrors(compilerOptions?: object, compiler = 'node_modules/typescript'): Promise<string> {
    const config = { extends: '../../types/tsconfig.json', compilerOptions, include: ['.'], exclude: this.programs };
    await this.write('tsconfig.json', JSON.stringify(config));
    return this.programErrors('.', compiler);
  }

  /** Returns what a compiler says of a folder by its `tsconfig.json`. */
  async programErrors(program: string, compiler = 'node_modules/typescript'): Promise<string> {
    const tsc = join(projectFolder, compiler, 'bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', join(this.folder, program)]).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  }

  /** Runs a file and returns the lines that it prints. */
  async run(name: string): Promise<string[]> {
    const { stdout } = await run(process.execPath, ['--conditions=@lumenize/source', join(this.folder, name)]);
    return stdout.trim().split('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The blocks of a folder, by their names in it. Throws if there are none. */
function blocksIn(folder: string, all: ReadonlyMap<string, string>): Map<string, string> {
  const begin = `${folder}/`;
  const found = [...all].filter(([name]) => name.startsWith(begin));
  if (found.length === 0) throw new Error(`no code is in a folder ${folder}`);
  return new Map(found.map(([name, text]) => [name.slice(begin.length), text]));
}
