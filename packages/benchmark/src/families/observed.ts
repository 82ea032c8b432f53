import { join } from 'node:path';
import { type ObservedWorker, observedWorker as observe } from '@lumenize/hosts/observed-worker';
import { ROOT } from '@lumenize/hosts/root';
import { readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import type { ClientProcess, Tasks } from '../engine/client-process.ts';
import type { Launch } from '../engine/plan.ts';

export type { ObservedWorker } from '@lumenize/hosts/observed-worker';

const FOLDER = join(ROOT, 'packages/benchmark/worker/observed');

/** Serves the counter's Worker, or that of the families with more than a counter, which can only be told to evict: see hosts. */
export function observedWorker(
  directory: string,
  of: 'counter' | 'work' = 'counter',
): Promise<(options?: { compressed?: boolean }) => Promise<ObservedWorker>> {
  if (of === 'work') return observe(directory, join(FOLDER, 'work.ts'), readWorkerConfig(WORK_WORKER));
  const { compatibilityDate, objects } = readWorkerConfig();
  const withOnce = { compatibilityDate, objects: { ...objects, COUNTER_ONCE: 'CounterOnce' } };
  return observe(directory, join(FOLDER, 'worker.ts'), withOnce);
}

/** Has a fresh client and a fresh server do something, and stops them: a launch has many, which must not be there together. */
export async function withFresh<T extends Tasks<T>>(
  launch: Launch,
  bundle: string,
  serve: (client: ClientProcess<T>) => Promise<ObservedWorker>,
  work: (server: ObservedWorker, client: ClientProcess<T>) => Promise<void>,
): Promise<void> {
  const client = launch.client<T>(bundle);
  const server = await launch.keep(serve(client));
  await work(server, client);
  client.stop();
  await server.stop();
}
