import { fileURLToPath } from 'node:url';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { WorkerdHost } from '@lumenize/hosts/workerd';
import { readWorkerConfig, WORK_WORKER } from '../hosts/worker-config.ts';
import { bundleClient } from '../load/client-bundle.ts';
import { runLaunch } from '../load/run-launch.ts';
import type { Progress } from '../progress.ts';
import { withRunDirectory } from '../run-directory.ts';
import type { Cell, CellTimes, ProfilePlan, ProfileReport } from './plan.ts';

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url));

/** What is profiled, and for how long. */
export interface ProfileRun {
  readonly cells: readonly Cell[];
  readonly times: CellTimes;
  readonly launches: number;
  /** No launch but the first is begun that would probably end later than this after the start. */
  readonly budgetMs: number;
  /** The workloads whose frames are counted, in the first launch. */
  readonly countWire: readonly string[];
}

/**
 * Profiles in launches, each with a fresh client process and two fresh servers, of which one has an inspector, and
 * resolves with what each found. Rejects where a server does not start, and where an answer is wrong.
 */
export async function runProfile(
  { cells, times, launches, budgetMs, countWire }: ProfileRun,
  seed: number,
  progress: Progress,
): Promise<ProfileReport[]> {
  const begun = performance.now();
  try {
    return await withRunDirectory(async (directory) => {
      const config = readWorkerConfig(WORK_WORKER);
      const workerBundle = await bundleWorker(config.main, directory);
      const clientBundle = await bundleClient(CLIENT, directory);
      const reports: ProfileReport[] = [];
      progress.start(launches * cells.length);
      for (let launch = 0; launch < launches; launch++) {
        const elapsedMs = performance.now() - begun;
        if (launch > 0 && elapsedMs + elapsedMs / launch > budgetMs) break;
        const plan = {
          seed: seed + launch,
          clientBundle,
          workerBundle,
          cells,
          countWire: launch === 0 ? countWire : [],
        };
        const onProgress = (done: number) =>
          progress.update(launch * cells.length + done, `launch ${launch + 1} of ${launches}`);
        const servers = { plain: new WorkerdHost(workerBundle, config), inspected: inspected(workerBundle, config) };
        reports.push(await runLaunchOn(servers, { ...plan, ...times }, onProgress));
      }
      return reports;
    });
  } finally {
    progress.stop();
  }
}

function inspected(...[bundle, config]: ConstructorParameters<typeof WorkerdHost>): WorkerdHost {
  return new WorkerdHost(bundle, config, { inspected: true });
}

async function runLaunchOn(
  { plain, inspected }: { plain: WorkerdHost; inspected: WorkerdHost },
  plan: Omit<ProfilePlan, 'url' | 'inspectedUrl' | 'inspector'>,
  onProgress: (done: number) => void,
): Promise<ProfileReport> {
  const unwatched = await plain.start();
  try {
    const watched = await inspected.start();
    try {
      const addresses = { url: unwatched.url, inspectedUrl: watched.url, inspector: watched.inspector! };
      return await runLaunch<ProfilePlan, ProfileReport>(plan.clientBundle, { ...plan, ...addresses }, onProgress);
    } finally {
      await watched.stop();
    }
  } finally {
    await unwatched.stop();
  }
}
