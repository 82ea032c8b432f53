import { rmSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorker } from './worker-bundle.ts';
import { type ServedBundle, type ServedConfig, serveBundle } from './workerd.ts';

/** Lets objects be told to hibernate. */
const FLAGS = ['unsafe_module'];

/** A workerd that serves a Worker of the repository, which can be asked of what only those who measure want to know. */
export interface ObservedWorker extends ServedBundle {
  /** Base address such as `http://127.0.0.1:4711`. */
  readonly url: string;
  /** Collects garbage, twice, since some finds its end only after the first time. */
  collect(): Promise<void>;
  /** Has all objects hibernate. */
  evict(): Promise<void>;
  /** Counts the objects that have been made in this process's life. */
  lives(): Promise<number>;
  /** The number of the code's version. */
  version(): Promise<number>;
  /** Ends the process and removes what it has stored. */
  stop(): Promise<void>;
}

/**
 * Bundles the Worker at `main` once, in `directory`; each call of what is returned serves it by a fresh workerd with empty
 * storage, which compresses frames of sockets, as it does by default, or does not.
 */
export async function observedWorker(
  directory: string,
  main: string,
  config: Pick<ServedConfig, 'compatibilityDate' | 'objects'>,
): Promise<(options?: { compressed?: boolean }) => Promise<ObservedWorker>> {
  const bundle = await bundleWorker(main, directory);
  return async ({ compressed = true } = {}) => {
    const folder = await mkdtemp(join(directory, 'workerd-'));
    // Embedded files are looked for beside the configuration.
    await copyFile(bundle, join(folder, 'worker.js'));
    const flags = compressed ? FLAGS : [...FLAGS, 'no_web_socket_compression'];
    const served = await serveBundle(folder, { ...config, compatibilityFlags: flags });
    return observed(served, folder);
  };
}

function observed(served: ServedBundle, folder: string): ObservedWorker {
  const url = `http://127.0.0.1:${served.port}`;
  const ask = async (what: string) => {
    const response = await fetch(`${url}/observed/${what}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${what}: ${response.status} ${text}`);
    return text;
  };
  return {
    ...served,
    url,
    async collect() {
      for (let round = 0; round < 2; round++) await ask('collect');
    },
    evict: async () => void (await ask('evict')),
    lives: async () => Number(await ask('lives')),
    version: async () => Number(await ask('version')),
    async stop() {
      await served.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
