import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { executable } from '../../packages/benchmark/src/environment/packages.ts';
import { GuardedProcess } from '../../packages/benchmark/src/hosts/guarded-process.ts';
import { bundleWorker } from '../../packages/benchmark/src/hosts/worker-bundle.ts';
import { workerdConfig } from '../../packages/benchmark/src/hosts/workerd-config.ts';

const START_TIMEOUT_MS = 20_000;
const testWorkerConfig = fileURLToPath(new URL('../workerd/wrangler.toml', import.meta.url).href);

/** What `serveWorker` serves: an entry module, and the Durable Object class behind each binding. */
export interface Worker {
  readonly main: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags?: readonly string[];
  readonly objects: Readonly<Record<string, string>>;
  /** Whether to serve an inspector too. @default false */
  readonly isInspected?: boolean;
}

/** A Worker served by a workerd process, on one port and one storage for as long as this object lives. */
export interface ServedWorker extends AsyncDisposable {
  readonly port: number;
  /** The address of a path, for sockets. */
  url(path: string): string;
  /** Bytes of memory that the process has resident; NaN where the system does not say so as Linux does. */
  residentBytes(): Promise<number>;
  /** The port of the inspector, where there is one. */
  readonly inspectorPort: number | undefined;
  /** Ends the process without warning, as a crash does; resolves when it is gone. */
  kill(): Promise<void>;
  /** Serves again after `kill`, on the same port and storage; with other code where `change` makes some of the bundle's. */
  restart(change?: (bundle: string) => string): Promise<void>;
}

/** Serves the Worker of the tests from Node, with nothing between a socket and workerd. */
export async function serveTestWorker(): Promise<ServedWorker> {
  return serveWorker(await readWorker(testWorkerConfig));
}

/** Reads what a `wrangler.toml` of ours says: by pattern, since to import wrangler takes longer than many tests do. */
export async function readWorker(configFile: string): Promise<Worker> {
  const toml = await readFile(configFile, 'utf8');
  const bindings = [...toml.matchAll(/^name = "(\w+)"\nclass_name = "(\w+)"$/gm)];
  return {
    main: join(dirname(configFile), /^main = "(.+)"$/m.exec(toml)![1]),
    compatibilityFlags: JSON.parse(/^compatibility_flags = (.+)$/m.exec(toml)?.[1] ?? '[]'),
    compatibilityDate: /^compatibility_date = "(.+)"$/m.exec(toml)![1],
    objects: Object.fromEntries(bindings.map(([, binding, className]) => [binding, className])),
  };
}

/** Bundles a Worker from the sources of this workspace and serves it; `storage` is a folder of one's own for it. */
export async function serveWorker(worker: Worker, storage?: string): Promise<ServedWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-workerd-'));
  if (storage === undefined) await mkdir(join(folder, 'storage'));
  else await symlink(storage, join(folder, 'storage'));
  const bundle = await bundleWorker(worker.main, folder, ['@lumenize/source']);
  let { process, port, inspectorPort } = await start(folder, worker, 0);
  return {
    port,
    inspectorPort,
    url: (path) => `ws://127.0.0.1:${port}${path}`,
    residentBytes: () => residentBytes(join(folder, 'config.capnp')),
    kill: () => process.stop(),
    async restart(change) {
      if (change !== undefined) await writeFile(bundle, change(await readFile(bundle, 'utf8')));
      ({ process } = await start(folder, worker, port));
    },
    async [Symbol.asyncDispose]() {
      await process.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(
  folder: string,
  worker: Worker,
  wantedPort: number,
): Promise<{ process: GuardedProcess; port: number; inspectorPort: number | undefined }> {
  const file = join(folder, 'config.capnp');
  // Tests that count what garbage collection lets go of ask for it.
  const config = workerdConfig(worker, join(folder, 'storage'), wantedPort)
    .replace(':Workerd.Config = (', '$&\n  v8Flags = ["--expose-gc"],')
    .replace(
      /^ +compatibilityDate = .+$/m,
      `$&\n      compatibilityFlags = ${JSON.stringify(worker.compatibilityFlags ?? [])},`,
    );
  await writeFile(file, config);
  // The guard removes the folder it is given, which must not be the one with the storage; it has no other use here.
  const guarded = join(folder, 'guarded');
  // When told to stop, the guard sends SIGKILL, so that stopping is also what a crash looks like to a client.
  const process = new GuardedProcess(guarded, executable('workerd'), [
    'serve',
    file,
    '--experimental',
    '--control-fd=3',
    ...(worker.isInspected ? ['--inspector-addr=127.0.0.1:0'] : []),
  ]);
  const inspector = worker.isInspected
    ? await process.find(/"event":"listen-inspector","port":(\d+)/, START_TIMEOUT_MS)
    : undefined;
  const [, port] = await process.find(/"event":"listen","socket":"http","port":(\d+)/, START_TIMEOUT_MS);
  return { process, port: Number(port), inspectorPort: inspector && Number(inspector[1]) };
}

/** Of the workerd that was started with this configuration: it is a child of its guard, so its id has to be looked for. */
async function residentBytes(configFile: string): Promise<number> {
  for (const id of await readdir('/proc').catch(() => [])) {
    const command = (await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (basename(command[0]) !== 'workerd' || !command.includes(configFile)) continue;
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${id}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1024;
  }
  return Number.NaN;
}
