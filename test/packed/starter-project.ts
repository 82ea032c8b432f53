import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { GuardedProcess } from '@lumenize/hosts/guarded-process';
import { wranglerEnvironment } from '@lumenize/hosts/wrangler-dev';
import { publishedPackages } from '../../tools/bundle/published-packages.ts';
import { pack } from '../../tools/release/pack.ts';
import { projectFolder } from '../support/serve-counter.ts';
import { cleanEnvironment, versionHere } from './packed-project.ts';

const run = promisify(execFile);

/** A project as `npm create lumenize-rpc` makes it, outside of the workspace, with everything installed as its own manifest says. */
export class StarterProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(): Promise<StarterProject> {
    const folder = join(await mkdtemp(join(tmpdir(), 'lumenize-starter-')), 'new-app');
    const project = new StarterProject(folder);
    await using unfinished = new AsyncDisposableStack();
    unfinished.use(project);
    const create = join(projectFolder, 'packages/create-lumenize-rpc/dist/main.js');
    await run(process.execPath, [create, folder]);
    await project.#useWhatIsHere();
    await project.run('npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error');
    unfinished.move();
    return project;
  }

  /** Runs a command in it and returns what it prints. */
  async run(command: string, ...args: string[]): Promise<string> {
    const env = { ...cleanEnvironment(wranglerEnvironment(join(this.folder, '.wrangler'))), NODE_OPTIONS: '' };
    try {
      const { stdout } = await run(command, args, { cwd: this.folder, env, timeout: 120_000 });
      return stdout;
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
    }
  }

  /** Starts what `npm run dev` starts, on any free port; resolves with its address. */
  async dev(): Promise<{ url: string; stop(): Promise<void> }> {
    const state = join(this.folder, '.wrangler');
    const wrangler = join(this.folder, 'node_modules/wrangler/bin/wrangler.js');
    const server = new GuardedProcess(
      state,
      process.execPath,
      [wrangler, 'dev', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0'],
      { cwd: this.folder, env: cleanEnvironment(wranglerEnvironment(state)) },
    );
    const [, url] = await server.find(/Ready on (http:\/\/127\.0\.0\.1:\d+)/, 60_000);
    return { url, stop: () => server.stop() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(dirname(this.folder), { recursive: true, force: true });
  }

  /** Takes our packages as they are packed here, and of all others the version that this workspace has. */
  async #useWhatIsHere(): Promise<void> {
    const file = join(this.folder, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    const ours = publishedPackages();
    const packed = new Map<string, string>();
    for (const each of ours) packed.set(each.name, `file:${(await pack(each, dirname(this.folder))).archive}`);
    for (const list of [manifest.dependencies, manifest.devDependencies]) {
      for (const name of Object.keys(list)) list[name] = packed.get(name) ?? (await versionHere(name));
    }
    manifest.overrides = Object.fromEntries(packed);
    await writeFile(file, JSON.stringify(manifest, undefined, 2));
  }
}
