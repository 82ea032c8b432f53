import { copyFile, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess } from './guarded-process.ts';
import { executable } from './installed.ts';
import { findProcess } from './process-memory.ts';
import { type RunningServer, untilAnswering } from './running-server.ts';
import { type WorkerdConfig, workerdConfig } from './workerd-config.ts';

const START_TIMEOUT_MS = 60_000;

/**
 * A host that runs the workerd binary with the smallest configuration that serves a Worker: the engine of production
 * and nothing else.
 */
export class WorkerdHost {
  readonly name = 'workerd';
  readonly #bundle: string;
  readonly #config: WorkerdConfig;
  readonly #inspected: boolean;

  /**
   * Creates the host. `bundle` is the path of the Worker as one module. If `inspected` is set, servers have an
   * inspector, which costs time.
   */
  constructor(bundle: string, config: WorkerdConfig, { inspected = false } = {}) {
    this.#bundle = bundle;
    this.#config = config;
    this.#inspected = inspected;
  }

  /** Starts a server with empty storage on a free port, and resolves once it has answered a request. */
  async start(): Promise<RunningServer> {
    const directory = await mkdtemp(join(tmpdir(), 'lumenize-workerd-'));
    const storage = join(directory, 'storage');
    await mkdir(storage);
    // workerd looks for embedded files beside the configuration.
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

/** The configuration of workerd for a Worker that `serveBundle` serves. */
export interface ServedConfig extends WorkerdConfig {
  /** Whether to serve an inspector too. @default false */
  readonly isInspected?: boolean;
}

/** A Worker that a workerd process serves. It keeps its port and its storage as long as this object is used. */
export interface ServedBundle {
  readonly port: number;
  /** The port of the inspector, if there is one. */
  readonly inspectorPort: number | undefined;
  /**
   * When the process was last started, in milliseconds since the epoch. This is later than the call that started it,
   * because its guard starts first.
   */
  spawnedAt(): number;
  /** Returns the id of the process, or undefined if the system is not Linux. */
  processId(): Promise<number | undefined>;
  /** Ends the process without warning, like a crash. Resolves when it is gone. */
  kill(): Promise<void>;
  /**
   * Serves again after `kill`, on the same port and storage. If `change` is given, it returns the new code for the
   * bundle.
   */
  restart(change?: (bundle: string) => string): Promise<void>;
}

/**
 * Serves the bundle `worker.js` in `folder`, with garbage collection on request. `storage` is a separate folder for
 * stored data. The code that calls this removes the folder after it has killed the process.
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
  // Tests that count collected garbage need to trigger a collection, and so do measurements of memory.
  const config = { ...worker, v8Flags: ['--expose-gc'] };
  await writeFile(file, workerdConfig(config, join(folder, 'storage'), wantedPort));
  // The guard removes the folder it is given, so it must not be the one with the storage. This folder has no other use.
  return run(file, join(folder, 'guarded'), worker.isInspected);
}

interface Running {
  readonly process: GuardedProcess;
  readonly port: number;
  readonly inspectorPort: number | undefined;
  readonly spawnedAt: number;
}

/** Runs workerd with a configuration. `guarded` is the directory that is removed when workerd ends. */
async function run(file: string, guarded: string, isInspected = false): Promise<Running> {
  // To stop it, the guard sends SIGKILL. To a client, stopping therefore looks like a crash.
  const process = new GuardedProcess(guarded, executable('workerd'), [
    'serve',
    file,
    '--experimental',
    // workerd reports the free port that it chose as a line of JSON on the control descriptor.
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
