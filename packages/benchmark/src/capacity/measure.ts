import { fileURLToPath } from 'node:url';
import { seededRandom } from '@lumenize/hosts/random';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { WorkerdHost } from '@lumenize/hosts/workerd';
import type { FamilyContext, FamilyFindings } from '../families/family.ts';
import { readWorkerConfig, WORK_WORKER } from '../hosts/worker-config.ts';
import { bundleClient } from '../load/client-bundle.ts';
import { runLaunch } from '../load/run-launch.ts';
import { withRunDirectory } from '../run-directory.ts';
import { type Comparison, compare } from '../statistics/comparison.ts';
import { gatherCapacity, kneesAsTimes } from './gather.ts';
import { type CapacityPlan, type CapacityReport, scenarioOf } from './plan.ts';
import { type CapacityProfile, capacityProfile } from './profile.ts';
import type { CapacityLaunch, CapacityResult } from './record.ts';

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url));

/** What the measurement of capacity found. A ratio is of knees: subject's over baseline's. */
export interface CapacityFindings extends FamilyFindings {
  readonly launches: readonly CapacityLaunch[];
  readonly results: readonly CapacityResult[];
  readonly comparisons: readonly Comparison[];
}

/** Searches for the knees of every subject. Rejects when a server does not start, and where an answer is wrong. */
export async function measureCapacity(context: FamilyContext): Promise<CapacityFindings> {
  const profile = capacityProfile(context);
  try {
    return await withRunDirectory(async (directory) => {
      const config = readWorkerConfig(WORK_WORKER);
      const host = new WorkerdHost(await bundleWorker(config.main, directory), config);
      const client = await bundleClient(CLIENT, directory);
      const launched = await runLaunches(profile, client, host, context);
      const reports = launched.map(({ report }) => report);
      const scenarios = profile.cells.map(scenarioOf);
      return {
        launches: launched.map(({ launch }) => launch),
        results: gatherCapacity(profile, reports),
        comparisons: compare('workerd', reports.map(kneesAsTimes), scenarios, seededRandom(context.seed)),
      };
    });
  } finally {
    context.progress.stop();
  }
}

interface Launched {
  readonly launch: CapacityLaunch;
  readonly report: CapacityReport;
}

async function runLaunches(
  { launches, latestMs, ...search }: CapacityProfile,
  client: string,
  host: WorkerdHost,
  { seed, progress }: FamilyContext,
): Promise<Launched[]> {
  const begun = performance.now();
  const ladders = search.cells.length * search.arms.length * search.repeats;
  progress.start(launches * ladders);
  const launched: Launched[] = [];
  let lastMs = 0;
  for (let number = 0; number < launches; number++) {
    const start = performance.now();
    // A slow machine has fewer launches, rather than a run without an end.
    if (start - begun + lastMs > latestMs) break;
    const doing = `workerd, launch ${number + 1} of ${launches}`;
    const onProgress = (done: number) => progress.update(number * ladders + done, doing);
    onProgress(0);
    // Another order in every launch, and the same ones when the run is repeated with its seed.
    const parts = { seed: seed * 1000 + number, recovery: number === 0 };
    launched.push(await oneLaunch(host, client, { ...search, ...parts }, onProgress));
    lastMs = performance.now() - start;
  }
  return launched;
}

async function oneLaunch(
  host: WorkerdHost,
  client: string,
  plan: Omit<CapacityPlan, 'url'>,
  onProgress: (ladders: number) => void,
): Promise<Launched> {
  const begun = performance.now();
  const server = await host.start();
  try {
    const started = performance.now();
    const report = await runLaunch<CapacityPlan, CapacityReport>(client, { ...plan, url: server.url }, onProgress);
    const times = { startMs: started - begun, measuredMs: performance.now() - started };
    return { launch: { host: 'workerd', ...times, client: report.client }, report };
  } finally {
    await server.stop();
  }
}
