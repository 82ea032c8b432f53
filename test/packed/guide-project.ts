import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedProcess } from '@lumenize/hosts/guarded-process';
import { wranglerEnvironment } from '@lumenize/hosts/wrangler-dev';
import { publishedPackages } from '../../tools/bundle/published-packages.ts';
import { packAll } from '../../tools/release/pack.ts';
import { codeBlocks } from '../support/code-blocks.ts';
import { projectFolder } from '../support/serve-counter.ts';
import { cleanEnvironment, install, versionHere } from './packed-project.ts';

const run = promisify(execFile);
/** Ours that are installed from archives; what else a guide installs is linked to the workspace's own. */
const OURS = ['@lumenize/structured-clone', '@lumenize/rpc'];

/** A project outside of the workspace that holds what a guide says, and nothing else. */
export class GuideProject implements AsyncDisposable {
  readonly folder: string;
  readonly text: string;
  /** The guide's files, by name. */
  readonly files: ReadonlyMap<string, string>;

  private constructor(folder: string, text: string) {
    this.folder = folder;
    this.text = text;
    this.files = codeBlocks(text);
  }

  /** Installs what the guide's `npm install` lines name, and writes its files. What is not ours is linked to the workspace's own. */
  static create(guide: string): Promise<GuideProject> {
    return GuideProject.#make(guide, async (project) => {
      const ours = publishedPackages().filter(({ name }) => OURS.includes(name));
      const packed = await packAll(ours, project.folder);
      await install(
        project.folder,
        packed.map(({ archive }) => archive),
      );
      await project.#link();
    });
  }

  /** The same with archives in place of ours, and everything else from the registry, with an empty cache. */
  static createAlone(guide: string, archives: readonly string[]): Promise<GuideProject> {
    return GuideProject.#make(guide, async (project) => {
      const others = await Promise.all(project.#others().map(async (name) => `${name}@${await versionHere(name)}`));
      await install(project.folder, [...archives, ...others], join(project.folder, 'npm-cache'));
    });
  }

  static async #make(guide: string, fill: (project: GuideProject) => Promise<void>): Promise<GuideProject> {
    const text = await readFile(join(projectFolder, guide), 'utf8');
    const folder = await mkdtemp(join(tmpdir(), 'lumenize-guide-'));
    const project = new GuideProject(folder, text);
    await using unfinished = new AsyncDisposableStack();
    unfinished.use(project);
    await fill(project);
    for (const [name, code] of project.files) await project.write(name, code);
    unfinished.move();
    return project;
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.folder, name)), { recursive: true });
    await writeFile(join(this.folder, name), text);
  }

  /** Runs a command of the project; returns what it prints, whether it succeeds or not. */
  async run(command: string): Promise<{ code: number; output: string }> {
    const [name, ...args] = command.replace(/^npx /, '').split(' ');
    try {
      const options = { cwd: this.folder, env: this.#env(), timeout: 120_000 };
      const { stdout, stderr } = await run(join(this.folder, 'node_modules/.bin', name), args, options);
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: `${stdout}${stderr}` };
    }
  }

  /** Starts `wrangler dev`, on any free port. */
  async dev(): Promise<AsyncDisposable & { port: number }> {
    const wrangler = join(this.folder, 'node_modules/wrangler/bin/wrangler.js');
    const args = [wrangler, 'dev', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0'];
    const server = new GuardedProcess(join(this.folder, '.wrangler'), process.execPath, args, {
      cwd: this.folder,
      env: this.#env(),
    });
    const [, port] = await server.find(/Ready on http:\/\/127\.0\.0\.1:(\d+)/, 60_000);
    return { port: Number(port), [Symbol.asyncDispose]: () => server.stop() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** What the guide installs beside ours, and beside archives. */
  #others(): string[] {
    const lines = this.text.matchAll(/^npm install (?:--save-dev )?(.+)$/gm);
    return [...lines]
      .flatMap(([, all]) => all.split(' '))
      .filter((name) => !OURS.includes(name) && !name.endsWith('.tgz'));
  }

  async #link(): Promise<void> {
    await mkdir(join(this.folder, 'node_modules/.bin'), { recursive: true });
    for (const name of this.#others()) {
      const installedHere = join(projectFolder, 'node_modules', name);
      const { bin = {} } = JSON.parse(await readFile(join(installedHere, 'package.json'), 'utf8'));
      const link = join(this.folder, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(installedHere, link);
      const commands: [string, string][] = Object.entries(typeof bin === 'string' ? { [name]: bin } : bin);
      for (const [command, file] of commands) {
        await symlink(join(installedHere, file), join(this.folder, 'node_modules/.bin', command));
      }
    }
  }

  #env(): NodeJS.ProcessEnv {
    return {
      ...cleanEnvironment(wranglerEnvironment(join(this.folder, '.wrangler'))),
      NODE_OPTIONS: '',
      NO_COLOR: '1',
    };
  }
}
