import { copyFile, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess } from './guarded-process.ts';
import { executable } from './installed.ts';
import { findProcess } from './process-memory.ts';
import { type RunningServer, untilAnswering } from './running-server.ts';
import { type WorkerdConfig, workerdConfig } from './workerd-config.ts';

const START_TIMEOUT_MS = 60_000;

/** The workerd binary with the least configuration that serves a Worker: the engine of production, nothing beside it. */
export class WorkerdHost {
  readonly name = 'workerd';
  readonly #bundle: string;
  readonly #config: WorkerdConfig;
  readonly #inspected: boolean;

  /** `bundle` is the path of the Worker as one module; `inspected` servers have an inspector, which costs time. */
  constructor(bundle: string, config: WorkerdConfig, { inspected = false } = {}) {
    this.#bundle = bundle;
    this.#config = config;
    this.#inspected = inspected;
  }

  /** Starts a server with empty storage on a free port and resolves once it has answered a request. */
  async start(): Promise<RunningServer> {
    const directory = await mkdtemp(join(tmpdir(), 'lumenize-workerd-'));
    const storage = join(directory, 'storage');
    await mkdir(storage);
    // Embedded files are looked for beside the configuration.
    await copyFile(this.#bundle, join(directory, 'worker.js'));
    const file = configFile(directory);
    await writeFile(file, workerdConfig(this.#config, storage, 0));
    const { process, port, inspectorPort } = await run(file, directory, this.#inspected);
    const url = `http://127.0.0.1:${port}`;
    await untilAnswering(url, START_TIMEOUT_MS);
    const inspector = inspectorPort === undefined ? {} : { inspector: `ws://127.0.0.1:${inspectorPort}/main` };
    return { url, ...inspector, stop: () => process.stop() };
  }
}

/** Configuration of workerd for a Worker by `serveBundle`. */
export interface ServedConfig extends WorkerdConfig {
  /** Serve an inspector too. @default false */
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
  let { process, port, spawnedAt, inspectorPort } = await serve(folder, worker, 0);
  return {
    port,
    inspectorPort,
    spawnedAt: () => spawnedAt,
    processId: () => findProcess('workerd', configFile(folder)),
    kill: () => process.stop(),
    async restart(change) {
      const bundle = join(folder, 'worker.js');
      if (change !== undefined) await writeFile(bundle, change(await readFile(bundle, 'utf8')));
      ({ process, spawnedAt } = await serve(folder, worker, port));
    },
  };
}

async function serve(folder: string, worker: ServedConfig, wantedPort: number): Promise<Running> {
  const file = configFile(folder);
  // Tests that count what garbage collection lets go of ask for it, and so does what measures memory.
  const config = { ...worker, v8Flags: ['--expose-gc'] };
  await writeFile(file, workerdConfig(config, join(folder, 'storage'), wantedPort));
  // The guard removes the folder it is given, which must not be the one with the storage; it has no other use here.
  return run(file, join(folder, 'guarded'), worker.isInspected);
}

interface Running {
  readonly process: GuardedProcess;
  readonly port: number;
  readonly inspectorPort: number | undefined;
  readonly spawnedAt: number;
}

/** Runs workerd with a configuration; `guarded` is the directory that is removed when it ends. */
async function run(file: string, guarded: string, isInspected = false): Promise<Running> {
  // When told to stop, the guard sends SIGKILL, so that stopping is also what a crash looks like to a client.
  const process = new GuardedProcess(guarded, executable('workerd'), [
    'serve',
    file,
    '--experimental',
    // workerd reports the free port that it took as a line of JSON on the control descriptor.
    '--control-fd=3',
    ...(isInspected ? ['--inspector-addr=127.0.0.1:0'] : []),
  ]);
  const inspector = isInspected && (await process.find(/"event":"listen-inspector","port":(\d+)/, START_TIMEOUT_MS));
  const [, port] = await process.find(/"event":"listen","socket":"http","port":(\d+)/, START_TIMEOUT_MS);
  const [, spawnedAt] = await process.find(/"event":"spawn","at":([\d.]+)/, START_TIMEOUT_MS);
  return {
    process,
    port: Number(port),
    inspectorPort: inspector ? Number(inspector[1]) : undefined,
    spawnedAt: Number(spawnedAt),
  };
}

function configFile(folder: string): string {
  return join(folder, 'config.capnp');
}
