import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@lumenize/hosts/create-hosts';
import type { RunningHost } from '@lumenize/hosts/host';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { readWorkerConfig } from '@lumenize/hosts/worker-config';

/** Serves a Worker of the repository, until it is stopped. */
export async function serve(file: string): Promise<RunningHost> {
  const config = readWorkerConfig(file);
  const directory = mkdtempSync(join(tmpdir(), 'benchmark-served-'));
  const host = await createHost('workerd', await bundleWorker(config.main, directory), config).start();
  const stop = async () => {
    await host.stop();
    rmSync(directory, { recursive: true });
  };
  return { ...host, stop };
}
