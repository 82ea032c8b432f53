import { join } from 'node:path';
import { inTurn } from '@lumenize/hosts/in-turn';
import { type ObservedWorker, observedWorker } from '@lumenize/hosts/observed-worker';
import { ROOT } from '@lumenize/hosts/root';
import { readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { bundleTasks } from '../engine/bundle.ts';
import type { ClientProcess } from '../engine/client-process.ts';
import type { Launch, Plan, Report } from '../engine/plan.ts';

const FOLDER = join(ROOT, 'packages/benchmark/worker/observed');

/** How a server of a launch differs: whether it compresses frames. @default true */
type Served = { readonly compressed?: boolean };

/** A launch that starts fresh servers, and fresh clients that do the tasks of one module. */
export interface ObservedLaunch<T> extends Omit<Launch, 'client'> {
  serve(): Promise<ObservedWorker>;
  client(): ClientProcess<T>;
  /**
   * Does something for each of `arms`, `atOnce` at a time, with a client that has started and a server that starts then, both
   * of its own, and stops them: a launch has many, which must not be there together.
   */
  each<Arm>(
    arms: readonly Arm[],
    atOnce: number,
    work: (arm: Arm, server: ObservedWorker, client: ClientProcess<T>) => Promise<void>,
    servedTo?: (arm: Arm) => Served,
  ): Promise<void>;
}

/**
 * Returns what opens a plan: bundles the client at `tasks`, and the counter's Worker, or that of the families with more than a
 * counter, which can only be told to evict: see hosts.
 */
export function observing<T>(
  tasks: URL,
  of: 'counter' | 'work',
  work: (launch: ObservedLaunch<T>) => Promise<Report>,
): Plan['open'] {
  return async (directory) => {
    const bundle = await bundleTasks(tasks, directory);
    const { compatibilityDate, objects } = readWorkerConfig(of === 'work' ? WORK_WORKER : undefined);
    const withOnce = of === 'work' ? objects : { ...objects, COUNTER_ONCE: 'CounterOnce' };
    const serve = await observedWorker(directory, join(FOLDER, `${of}.ts`), { compatibilityDate, objects: withOnce });
    return (launch) => {
      const client = () => launch.client<T>(bundle);
      return work({
        ...{ ...launch, client, serve: () => launch.keep(serve()) },
        each: (arms, atOnce, doing, servedTo) =>
          inTurn(arms.length, atOnce, async (place) => {
            const own = client();
            await own.started();
            const server = await launch.keep(serve(servedTo?.(arms[place])));
            await doing(arms[place], server, own);
            own.stop();
            await server.stop();
          }),
      });
    };
  };
}
