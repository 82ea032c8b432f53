import { fileURLToPath } from 'node:url';
import { seededRandom } from '@lumenize/hosts/random';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { createHost } from '../hosts/create-hosts.ts';
import type { Host, HostName } from '../hosts/host.ts';
import { readWorkerConfig } from '../hosts/worker-config.ts';
import { bundleClient } from '../load/client-bundle.ts';
import { plannedBlocks } from '../load/plan.ts';
import { runLaunches } from '../load/run-launches.ts';
import type { Progress } from '../progress.ts';
import { withRunDirectory } from '../run-directory.ts';
import { measureClientSize } from '../size/client-size.ts';
import { COMPARED, compare } from '../statistics/comparison.ts';
import type { Profile } from './profiles.ts';
import type { BlockFindings, SizeResult } from './record.ts';
import { gatherResults } from './results.ts';

const CLIENT = fileURLToPath(new URL('../load/client.ts', import.meta.url));
const PORT_THREAD = fileURLToPath(new URL('../work/port-thread.ts', import.meta.url));

/**
 * Measures the scenarios of `profile` in blocks and resolves with all that was found. Rejects when a server does not
 * start, and when any answer is wrong. Without `hostNamed`, hosts are started here with the profile's Worker.
 */
export async function runBlocks(
  profile: Profile,
  seed: number,
  progress: Progress,
  hostNamed?: (name: HostName) => Host,
): Promise<BlockFindings> {
  const begun = performance.now();
  try {
    return await withRunDirectory(async (directory) => {
      const hostOf = hostNamed ?? (await localHosts(profile.worker, directory));
      const client = await bundleClient(CLIENT, directory, profile.conditions);
      // Beside the client, which starts it where a port is wanted.
      await bundleClient(PORT_THREAD, directory, profile.conditions, 'port-thread');
      const sizes = profile.sizes
        ? await Promise.all([measureClientSize('lumenize'), measureClientSize('capnweb')])
        : [];

      progress.start(profile.hosts.reduce((sum, plan) => sum + plan.launches * plannedBlocks(plan.scenarios), 0));
      const launches = await runLaunches(profile, { client, seed, hostOf, begun, progress });
      progress.stop();

      const random = seededRandom(seed);
      const wire = launches.flatMap(({ report }) => report.wire);
      const measured = profile.hosts.map((plan) => {
        const reports = launches.filter(({ host }) => host === plan.host).map(({ report }) => report);
        const blocks = reports.map((report) => report.blocks);
        const names = plan.scenarios.map(({ scenario }) => scenario);
        const compared = profile.compared ?? COMPARED;
        const comparisons = compare(plan.host, blocks, names, random, compared);
        const rows = gatherResults(plan.host, plan.scenarios, reports, wire, compared.control);
        const figures = profile.figures?.(plan.host, blocks, comparisons, random) ?? [];
        return { results: [...rows, ...figures], comparisons };
      });
      return {
        launches: launches.map(({ host, startMs, measuredMs, report }) => {
          return { host, startMs, measuredMs, warmUps: report.warmUps, client: report.client };
        }),
        results: [...measured.flatMap(({ results }) => results), ...sizes.map(sizeResult)],
        comparisons: measured.flatMap(({ comparisons }) => comparisons),
      };
    });
  } finally {
    progress.stop();
  }
}

async function localHosts(file: string | undefined, directory: string): Promise<(name: HostName) => Host> {
  const config = readWorkerConfig(file);
  const worker = await bundleWorker(config.main, directory);
  return (name) => createHost(name, worker, config);
}

function sizeResult(size: Awaited<ReturnType<typeof measureClientSize>>): SizeResult {
  return {
    family: 'size',
    scenario: 'client-bundle',
    subject: size.subject,
    host: 'browser',
    unit: 'B',
    minified: size.minifiedBytes,
    gzip: size.gzipBytes,
    brotli: size.brotliBytes,
  };
}
