import { observedWorker } from '@lumenize/hosts/observed-worker';
import { readWorkerConfig, WORK_WORKER } from '@lumenize/hosts/worker-config';
import { bundleTasks, SOURCES } from '../../engine/bundle.ts';
import { expectOneOf } from '../../engine/measure.ts';
import type { Extent, Family, Plan, Wanted } from '../../engine/plan.ts';
import type { SubjectName } from '../../subjects/subject.ts';
import { OBSERVED } from '../observed.ts';
import { INTERVAL_US } from './fold.ts';
import type * as tasks from './tasks.ts';
import { WORKLOADS } from './tasks.ts';

const TASKS = new URL('./tasks.ts', import.meta.url);

/** The profiled subjects, over sockets that do not compress, so that the rest is what their code takes. */
const PROFILED: readonly SubjectName[] = ['lumenize', 'capnweb-plain', 'raw-plain'];

const NAMES = Object.keys(WORKLOADS);

/** The plan for profiling cells long enough to tell functions apart. */
const IN_FUNCTIONS = { launches: 1, budgetMs: 0, warmUpMs: 500, plainMs: 1000, profiledMs: 6000 };

const AMOUNTS: Readonly<Record<Extent, typeof IN_FUNCTIONS>> = {
  alone: { launches: 4, budgetMs: 170_000, warmUpMs: 300, plainMs: 500, profiledMs: 1200 },
  whole: { launches: 3, budgetMs: 75_000, warmUpMs: 200, plainMs: 250, profiledMs: 600 },
  quick: { launches: 1, budgetMs: 5000, warmUpMs: 10, plainMs: 10, profiledMs: 100 },
};

/** The family that finds out where a call spends its microseconds. */
export const PROFILE = {
  name: 'profile',
  about: 'where the microseconds of a call go on both sides, by folder and file of the sources',
  subjects: PROFILED,
  hosts: ['workerd'],
  configuration: [
    `CPU profiles of client and server at once, a sample every ${INTERVAL_US} µs or as near to it as timers come, while the same call is made again and again; samples by folder and file of the sources, divided by calls: the figure is their sum on both sides. roundTripUs is the time per call without a profiler`,
  ],
  plan,
} satisfies Family;

/** Plans launches. Each has a new client process and two new servers, of which one has an inspector. */
function plan(extent: Extent, { workloads = NAMES, functions = false, subjects }: Wanted): Plan {
  for (const each of workloads) expectOneOf('workload', each, NAMES);
  const { launches, budgetMs, ...profiling } = functions ? IN_FUNCTIONS : AMOUNTS[extent];
  const wanted = PROFILED.filter((subject) => (subjects ?? (functions ? ['lumenize'] : PROFILED)).includes(subject));
  const cells = workloads.flatMap((workload) => wanted.map((subject) => ({ workload, subject })));
  return {
    places: [{ host: 'workerd', launches, atLeast: 1 }],
    budgetMs,
    scenarios: workloads.map((workload) => ({ name: `profile/${workload}` })),
    async open(directory) {
      // From the sources: the built packages have no source maps that would lead there.
      const client = await bundleTasks(TASKS, directory, { conditions: SOURCES });
      const serve = await observedWorker(directory, OBSERVED, readWorkerConfig(WORK_WORKER), SOURCES);
      return async ({ keep, client: start, seed }) => {
        const { url } = await keep(serve());
        const watched = await keep(serve({ inspected: true }));
        const bundles = { client, server: watched.bundle };
        const servers = { url, inspectedUrl: watched.url, inspector: watched.inspector!, bundles };
        const process = start<typeof tasks>(client);
        return process.ask('profile', { ...profiling, functions, cells, ...servers, seed });
      };
    },
  };
}
