import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { createHost } from '../../src/hosts/create-hosts.ts';
import { readWorkerConfig, WORK_WORKER } from '../../src/hosts/worker-config.ts';

/** The Worker of the families, served by workerd for as long as this object lives. */
export interface ServedWork extends AsyncDisposable {
  readonly url: string;
}

/** Bundles and serves the Worker of the families. */
export async function serveWork(): Promise<ServedWork> {
  const directory = await mkdtemp(join(tmpdir(), 'benchmark-work-'));
  const config = readWorkerConfig(WORK_WORKER);
  const server = await createHost('workerd', await bundleWorker(config.main, directory), config).start();
  return {
    url: server.url,
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(directory, { recursive: true });
    },
  };
}
