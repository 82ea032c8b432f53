import { join } from 'node:path';
import { inTurn } from '@lumenize/hosts/in-turn';
import { type ObservedWorker, observedWorker } from '@lumenize/hosts/observed-worker';
import { ROOT } from '@lumenize/hosts/root';
import { readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { bundleTasks } from '../engine/bundle.ts';
import type { ClientProcess } from '../engine/client-process.ts';
import type { Launch, Plan, Report } from '../engine/plan.ts';

/** The path of the Worker of the benchmark that answers requests for measurements. */
export const OBSERVED = join(ROOT, 'packages/benchmark/worker/observed.ts');

/** Options of a launch's server: whether it may compress frames. @default true */
type Served = { readonly compressed?: boolean };

/** A launch that starts new servers, and new clients that run the tasks of one module. */
export type ObservedLaunch<T> = ReturnType<typeof observedLaunch<T>>;

/**
 * Returns a function that opens a plan. It bundles the client at `tasks`, and a Worker with the objects of the counter
 * or of the families that need more than a counter; see hosts.
 */
export function observing<T>(
  tasks: URL,
  of: 'counter' | 'work',
  work: (launch: ObservedLaunch<T>) => Promise<Report>,
): Plan['open'] {
  return async (directory) => {
    const bundle = await bundleTasks(tasks, directory);
    const { compatibilityDate, objects } = readWorkerConfig(of === 'work' ? WORK_WORKER : undefined);
    const withOnce = { ...objects, COUNTER_ONCE: 'FeatureExactlyOnce' };
    const serve = await observedWorker(directory, OBSERVED, { compatibilityDate, objects: withOnce });
    return (launch) => work(observedLaunch<T>(launch, bundle, serve));
  };
}

function observedLaunch<T>(launch: Launch, bundle: string, server: Awaited<ReturnType<typeof observedWorker>>) {
  const client = () => launch.client<T>(bundle);
  const serve = (served?: Served) => launch.keep(server(served));
  return {
    ...{ ...launch, client, serve },
    /**
     * Runs `work` for each of `arms`, `atOnce` at a time. Each has a client that has started, and then a server, both
     * of its own. Both are stopped afterwards, because a launch has many arms whose servers must not run at the same
     * time.
     */
    each: <Arm>(
      arms: readonly Arm[],
      atOnce: number,
      work: (arm: Arm, server: ObservedWorker, client: ClientProcess<T>) => Promise<void>,
      servedTo?: (arm: Arm) => Served,
    ) =>
      inTurn(arms.length, atOnce, async (place) => {
        const own = client();
        await own.started();
        const running = await serve(servedTo?.(arms[place]));
        await work(arms[place], running, own);
        own.stop();
        await running.stop();
      }),
  };
}
