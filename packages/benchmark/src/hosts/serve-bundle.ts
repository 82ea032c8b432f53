import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { executable } from '../environment/packages.ts';
import { GuardedProcess } from './guarded-process.ts';
import { findProcess } from './process-memory.ts';
import type { WorkerConfig } from './worker-config.ts';
import { workerdConfig } from './workerd-config.ts';

const START_TIMEOUT_MS = 60_000;

/** What workerd is told of a Worker by `serveBundle`. */
export interface ServedConfig extends Pick<WorkerConfig, 'compatibilityDate' | 'objects'> {
  readonly compatibilityFlags?: readonly string[];
  /** Whether to serve an inspector too. @default false */
  readonly isInspected?: boolean;
}

/** A Worker served by a workerd process, on one port and one storage for as long as this object lives. */
export interface ServedBundle {
  readonly port: number;
  /** The port of the inspector, where there is one. */
  readonly inspectorPort: number | undefined;
  /** When the process was last started, in ms since the epoch: later than it was asked for, since its guard starts first. */
  spawnedAt(): number;
  /** Returns the id of the process; undefined where the system does not say so as Linux does. */
  processId(): Promise<number | undefined>;
  /** Ends the process without warning, as a crash does; resolves when it is gone. */
  kill(): Promise<void>;
  /** Serves again after `kill`, on the same port and storage; with other code where `change` makes some of the bundle's. */
  restart(change?: (bundle: string) => string): Promise<void>;
}

/**
 * Serves the bundle that lies in `folder` as `worker.js`, with garbage collection that can be asked for; `storage` is a
 * folder of one's own for what is stored. To remove the folder is up to the caller, when the process has been killed.
 */
export async function serveBundle(folder: string, worker: ServedConfig, storage?: string): Promise<ServedBundle> {
  if (storage === undefined) await mkdir(join(folder, 'storage'));
  else await symlink(storage, join(folder, 'storage'));
  let { process, port, spawnedAt, inspectorPort } = await start(folder, worker, 0);
  return {
    port,
    inspectorPort,
    spawnedAt: () => spawnedAt,
    processId: () => findProcess('workerd', configFile(folder)),
    kill: () => process.stop(),
    async restart(change) {
      const bundle = join(folder, 'worker.js');
      if (change !== undefined) await writeFile(bundle, change(await readFile(bundle, 'utf8')));
      ({ process, spawnedAt } = await start(folder, worker, port));
    },
  };
}

async function start(folder: string, worker: ServedConfig, wantedPort: number) {
  const file = configFile(folder);
  // Tests that count what garbage collection lets go of ask for it, and so does what measures memory.
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
  const [, spawnedAt] = await process.find(/"event":"spawn","at":([\d.]+)/, START_TIMEOUT_MS);
  return {
    process,
    port: Number(port),
    spawnedAt: Number(spawnedAt),
    inspectorPort: inspector && Number(inspector[1]),
  };
}

function configFile(folder: string): string {
  return join(folder, 'config.capnp');
}
