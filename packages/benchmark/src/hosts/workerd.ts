import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { executable } from '../environment/packages.ts';
import { GuardedProcess } from './guarded-process.ts';
import type { Host, RunningHost } from './host.ts';
import { untilAnswering } from './ready.ts';
import type { WorkerConfig } from './worker-config.ts';
import { workerdConfig } from './workerd-config.ts';

const START_TIMEOUT_MS = 60_000;

/** The workerd binary with the least configuration that serves the Worker: the engine of production, nothing beside it. */
export class WorkerdHost implements Host {
  readonly name = 'workerd';
  readonly #bundle: string;
  readonly #config: WorkerConfig;
  readonly #inspected: boolean;

  /** `bundle` is the path of the Worker as one module; `inspected` servers have an inspector, which costs time. */
  constructor(bundle: string, config: WorkerConfig, { inspected = false } = {}) {
    this.#bundle = bundle;
    this.#config = config;
    this.#inspected = inspected;
  }

  async start(): Promise<RunningHost> {
    const directory = await mkdtemp(join(tmpdir(), 'benchmark-workerd-'));
    const storage = join(directory, 'storage');
    const file = join(directory, 'config.capnp');
    await mkdir(storage);
    // Embedded files are looked for beside the configuration.
    await copyFile(this.#bundle, join(directory, 'worker.js'));
    await writeFile(file, workerdConfig(this.#config, storage, 0));
    // workerd reports the free port that it took as a line of JSON on the control descriptor.
    const server = new GuardedProcess(directory, executable('workerd'), [
      'serve',
      file,
      '--experimental',
      '--control-fd=3',
      ...(this.#inspected ? ['--inspector-addr=127.0.0.1:0'] : []),
    ]);
    const [, port] = await server.find(/"event":"listen","socket":"http","port":(\d+)/, START_TIMEOUT_MS);
    const url = `http://127.0.0.1:${port}`;
    await untilAnswering(url, START_TIMEOUT_MS);
    if (this.#inspected) {
      const [, inspector] = await server.find(/"event":"listen-inspector","port":(\d+)/, START_TIMEOUT_MS);
      return { url, inspector: `ws://127.0.0.1:${inspector}/main`, stop: () => server.stop() };
    }
    return { url, stop: () => server.stop() };
  }
}
