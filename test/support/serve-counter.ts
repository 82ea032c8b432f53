import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const projectFolder = fileURLToPath(new URL('../..', import.meta.url).href);
const startScript = join(projectFolder, 'examples/playground/start.mjs');

/** A folder for one test file: what objects store, the page as built now, and what wrangler would write outside the project. */
export interface Workspace extends AsyncDisposable {
  readonly folder: string;
}

export async function makeWorkspace(): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-playground-'));
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs what `npm start` runs, to its end: for arguments that end it at once. */
export async function runStart(workspace: Workspace, ...args: string[]): Promise<{ code: number; output: string }> {
  const server = spawnStart(workspace, args);
  await once(server.process, 'close');
  return { code: server.process.exitCode!, output: server.output() };
}

/** The playground, and so a counter, served by what `npm start` runs. Disposing stops it. */
export interface ServedCounter extends AsyncDisposable {
  readonly port: number;
  readonly pageUrl: string;
  counterUrl(name: string): string;
  /** The address of a path, for sockets. */
  url(path: string): string;
  /** All that was printed so far. */
  output(): string;
  /** Ends it as Ctrl-C or a supervisor would; resolves to the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Serves the playground on `port`, by default any free one, once it answers. */
export async function serveCounter(workspace: Workspace, port = 0): Promise<ServedCounter> {
  const server = spawnStart(workspace, ['--port', String(port)]);
  const ended = once(server.process, 'close');
  const actualPort = await Promise.race([
    server.printed(/http:\/\/localhost:(\d+)\/.*Ctrl-C/s).then(([, printed]) => Number(printed)),
    ended.then(([code]) => Promise.reject(new Error(`start.mjs ended with ${code}:\n${server.output()}`))),
  ]);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    server.process.kill(signal);
    await ended;
    return server.process.exitCode;
  };
  return {
    port: actualPort,
    pageUrl: `http://localhost:${actualPort}/`,
    url: (path) => `ws://localhost:${actualPort}${path}`,
    counterUrl: (name) => `ws://localhost:${actualPort}/rpc/counter/${name}`,
    output: server.output,
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
    },
  };
}

function spawnStart({ folder }: Workspace, args: string[]) {
  const child = spawn(
    process.execPath,
    [startScript, '--persist-to', join(folder, 'state'), '--assets', join(folder, 'page'), ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        WRANGLER_REGISTRY_PATH: join(folder, 'registry'),
        WRANGLER_LOG_PATH: join(folder, 'logs'),
      },
    },
  );
  let text = '';
  const seen = new EventTarget();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      seen.dispatchEvent(new Event('text'));
    });
  }
  return {
    process: child,
    output: () => text,
    printed: (pattern: RegExp) =>
      new Promise<RegExpExecArray>((resolve) => {
        seen.addEventListener('text', () => {
          const match = pattern.exec(text);
          if (match) resolve(match);
        });
      }),
  };
}
