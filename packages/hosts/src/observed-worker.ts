import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { askObserved } from './ask-observed.ts';
import { bundleWorker } from './worker-bundle.ts';
import { type ServedBundle, type ServedConfig, serveBundle } from './workerd.ts';

/** Compatibility flags that let a test make objects hibernate. */
const FLAGS = ['unsafe_module'];

/** A workerd process that serves one of the repository's Workers, and that answers requests for measurements. */
export interface ObservedWorker extends ServedBundle {
  /** The base URL, such as `http://127.0.0.1:4711`. */
  readonly url: string;
  /** The URL of its inspector (`ws://…`), if it has one. */
  readonly inspector: string | undefined;
  /** The path of its code as one module, beside a source map. */
  readonly bundle: string;
  /** Collects garbage, twice: some objects are only collected the second time. */
  collect(): Promise<void>;
  /** Makes all objects hibernate. */
  evict(): Promise<void>;
  /** Returns how many objects have been created since the process started. */
  lives(): Promise<number>;
  /** Returns the version number of the code. */
  version(): Promise<number>;
  /** Ends the process and removes its stored data. */
  stop(): Promise<void>;
}

/**
 * Bundles the Worker at `main` once, into `directory`. Returns a function that serves the bundle with a new workerd
 * process and empty storage on each call. `compressed` sets whether sockets compress messages, as they do by default, and
 * `inspected` whether there is an inspector, which costs time. `firstConditions` are export conditions that come before
 * those of a Worker.
 */
export async function observedWorker(
  directory: string,
  main: string,
  config: Pick<ServedConfig, 'compatibilityDate' | 'objects'>,
  firstConditions: readonly string[] = [],
): Promise<(options?: { compressed?: boolean; inspected?: boolean }) => Promise<ObservedWorker>> {
  const bundle = await bundleWorker(main, directory, firstConditions);
  return async ({ compressed = true, inspected = false } = {}) => {
    const folder = await mkdtemp(join(directory, 'workerd-'));
    // workerd looks for embedded files beside the configuration.
    await copyFile(bundle, join(folder, 'worker.js'));
    const flags = compressed ? FLAGS : [...FLAGS, 'no_web_socket_compression'];
    const served = await serveBundle(folder, { ...config, compatibilityFlags: flags, isInspected: inspected });
    return observed(served, folder, bundle);
  };
}

function observed(served: ServedBundle, folder: string, bundle: string): ObservedWorker {
  const url = `http://127.0.0.1:${served.port}`;
  const { inspectorPort } = served;
  return {
    ...served,
    ...{ url, bundle, inspector: inspectorPort === undefined ? undefined : `ws://127.0.0.1:${inspectorPort}/main` },
    async collect() {
      for (let round = 0; round < 2; round++) await askObserved(url, 'collect');
    },
    evict: async () => void (await askObserved(url, 'evict')),
    lives: async () => Number(await askObserved(url, 'lives')),
    version: async () => Number(await askObserved(url, 'version')),
    async stop() {
      await served.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
