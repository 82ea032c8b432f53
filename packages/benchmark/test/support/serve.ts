import { createHost } from '@lumenize/hosts/create-hosts';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { readWorkerConfig } from '@lumenize/hosts/worker-config';
import { onTestFinished } from 'vitest';
import { temporaryDirectory } from './temporary.ts';

/** Serves a Worker of the repository until the test has ended, and returns its address. */
export async function serve(file: string): Promise<string> {
  const config = readWorkerConfig(file);
  const worker = await bundleWorker(config.main, temporaryDirectory());
  const { url, stop } = await createHost('workerd', worker, config).start();
  onTestFinished(stop);
  return url;
}
