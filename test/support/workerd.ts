import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMemory } from '@lumenize/hosts/process-memory';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { type ServedBundle, type ServedConfig, serveBundle } from '@lumenize/hosts/workerd';
import { SOURCE_CONDITIONS } from './conditions.ts';

/** Where the Worker is described whose objects most tests call. */
export const testWorkerConfig = fileURLToPath(new URL('../workerd/wrangler.toml', import.meta.url).href);

/** What `serveWorker` serves: an entry module, and the Durable Object class behind each binding. */
export interface Worker extends ServedConfig {
  readonly main: string;
  /** Packages that are replaced, and the files that replace them. */
  readonly alias?: Readonly<Record<string, string>>;
}

/** A Worker served by a workerd process, on one port and one storage for as long as this object lives. */
export interface ServedWorker extends ServedBundle, AsyncDisposable {
  /** The address of a path, for sockets. */
  url(path: string): string;
  /** Bytes of memory that the process has resident; NaN where the system does not say so as Linux does. */
  residentBytes(): Promise<number>;
}

/** Serves the Worker of the tests from Node, with nothing between a socket and workerd. */
export async function serveTestWorker(): Promise<ServedWorker> {
  return serveWorker(await readWorker(testWorkerConfig));
}

/** Reads what a `wrangler.toml` of ours says: by pattern, since to import wrangler takes longer than many tests do. */
export async function readWorker(configFile: string): Promise<Worker> {
  const toml = await readFile(configFile, 'utf8');
  const bindings = [...toml.matchAll(/^name = "(\w+)"\nclass_name = "(\w+)"$/gm)];
  const [, vars = ''] = /^\[vars\]\n((?:\w+ = ".*"\n)*)/m.exec(toml) ?? [];
  return {
    main: join(dirname(configFile), /^main = "(.+)"$/m.exec(toml)![1]),
    compatibilityFlags: JSON.parse(/^compatibility_flags = (.+)$/m.exec(toml)?.[1] ?? '[]'),
    compatibilityDate: /^compatibility_date = "(.+)"$/m.exec(toml)![1],
    objects: Object.fromEntries(bindings.map(([, binding, className]) => [binding, className])),
    vars: Object.fromEntries([...vars.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value])),
  };
}

/** Bundles a Worker with the packages of this workspace and serves it; `storage` is a folder of one's own for it. */
export async function serveWorker(worker: Worker, storage?: string): Promise<ServedWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-workerd-'));
  await using unfinished = new AsyncDisposableStack();
  unfinished.defer(() => rm(folder, { recursive: true, force: true }));
  await bundleWorker(worker.main, folder, SOURCE_CONDITIONS, worker.alias);
  const served = await serveBundle(folder, worker, storage);
  unfinished.move();
  return {
    ...served,
    url: (path) => `ws://127.0.0.1:${served.port}${path}`,
    async residentBytes() {
      const id = await served.processId();
      return id === undefined ? Number.NaN : (await readMemory(id)).residentBytes;
    },
    async [Symbol.asyncDispose]() {
      await served.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
