import { fileURLToPath } from 'node:url';
import { seededRandom } from '@lumenize/hosts/random';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { WorkerdHost } from '@lumenize/hosts/workerd';
import { CODECS } from '../codecs/all.ts';
import { codecVersions } from '../environment/machine.ts';
import { assertPinned, CODEC_PACKAGES } from '../environment/packages.ts';
import type { Place } from '../hosts/host.ts';
import { readWorkerConfig } from '../hosts/worker-config.ts';
import { bundleClient, SOURCES } from '../load/client-bundle.ts';
import { plannedBlocks } from '../load/plan.ts';
import { runLaunch } from '../load/run-launch.ts';
import { PAYLOADS } from '../payloads/all.ts';
import type { Progress } from '../progress.ts';
import { withRunDirectory } from '../run-directory.ts';
import { type Comparison, compare } from '../statistics/comparison.ts';
import type { ValuesPlan, ValuesReport } from './plan.ts';
import { CODEC_CONTROL, type ValuesHostPlan, type ValuesProfile } from './profile.ts';
import type { ValuesFindings, ValuesLaunch } from './record.ts';
import { gatherCodecResults } from './results.ts';

const LAUNCH = fileURLToPath(new URL('./launch.ts', import.meta.url));
const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url));

/** What a Worker and a strict page forbid is off in Node too: see `assertNoCodeGeneration`, which makes sure of it. */
const LIKE_A_WORKER = {
  execArgv: ['--disallow-code-generation-from-strings', '--expose-gc'],
  env: {
    ...process.env,
    CBOR_NATIVE_ACCELERATION_DISABLED: 'true',
    MSGPACKR_NATIVE_ACCELERATION_DISABLED: 'true',
  },
};

interface Launched {
  readonly launch: ValuesLaunch;
  readonly report: ValuesReport;
}

/**
 * Measures codecs and resolves with all that was found. Rejects when a version is not the one asked for, and when a codec
 * that carried a payload at first no longer does at the end; one that never did has a row that says so.
 */
export async function measureValues(profile: ValuesProfile, seed: number, progress: Progress): Promise<ValuesFindings> {
  for (const name of ['capnweb', ...CODEC_PACKAGES] as const) assertPinned(name);
  try {
    return await withRunDirectory(async (directory) => {
      const client = await bundleClient(LAUNCH, directory, SOURCES);
      const host = new WorkerdHost(await bundleWorker(WORKER, directory, SOURCES), {
        ...readWorkerConfig(),
        objects: {},
      });
      const launched = await runLaunches(profile, client, host, seed, progress);
      progress.stop();

      const random = seededRandom(seed);
      const measured = profile.hosts.map(({ host: name, payloads }) => {
        const reports = launched.filter(({ launch }) => launch.host === name).map(({ report }) => report);
        const blocks = reports.map((report) => report.payloads.flatMap((payload) => payload.blocks));
        const names = payloads.map(({ scenario }) => scenario);
        const compared = { pairs: profile.pairs, control: CODEC_CONTROL };
        return {
          results: gatherCodecResults(name, payloads, reports),
          comparisons: compare(name, blocks, names, random, compared).map(withoutIdleDigits),
        };
      });
      return {
        versions: codecVersions(),
        codecs: Object.fromEntries(CODECS.map(({ name, kind, settings }) => [name, { kind, settings }])),
        payloads: Object.fromEntries([...PAYLOADS.values()].map(({ name, kind }) => [name, kind])),
        launches: launched.map(({ launch }) => launch),
        results: measured.flatMap(({ results }) => results),
        comparisons: measured.flatMap(({ comparisons }) => comparisons),
      };
    });
  } finally {
    progress.stop();
  }
}

/** There are hundreds of comparisons, and no interval is worth more digits than these. */
function withoutIdleDigits<C extends Comparison<Place>>(comparison: C): C {
  const rounded = (value: number) => Number(value.toPrecision(4));
  const [low, high] = comparison.ci95;
  return { ...comparison, ratio: rounded(comparison.ratio), ci95: [rounded(low), rounded(high)] };
}

/** Runs the launches one after the other, hosts in turn, each in a fresh process and, for workerd, on a fresh server. */
async function runLaunches(
  { hosts }: ValuesProfile,
  client: string,
  server: WorkerdHost,
  seed: number,
  progress: Progress,
): Promise<Launched[]> {
  progress.start(hosts.reduce((sum, plan) => sum + plan.launches * plannedBlocks(plan.payloads), 0));
  const launched: Launched[] = [];
  let done = 0;
  for (let number = 0; number < Math.max(...hosts.map(({ launches }) => launches)); number++) {
    for (const plan of hosts.filter(({ launches }) => number < launches)) {
      const doing = `${plan.host}, launch ${number + 1} of ${plan.launches}`;
      const onProgress = (blocks: number) => progress.update(done + blocks, doing);
      onProgress(0);
      launched.push(await oneLaunch(plan, number, client, server, seed, onProgress));
      done += plannedBlocks(plan.payloads);
    }
  }
  return launched;
}

async function oneLaunch(
  { host, payloads, durations, limitMs }: ValuesHostPlan,
  number: number,
  client: string,
  server: WorkerdHost,
  seed: number,
  onProgress: (blocks: number) => void,
): Promise<Launched> {
  const begun = performance.now();
  const running = host === 'workerd' ? await server.start() : undefined;
  try {
    const started = performance.now();
    const plan: ValuesPlan = {
      url: running?.url,
      // Another order in every launch, and the same ones when the run is repeated with its seed.
      seed: seed * 1000 + number,
      payloads,
      durations,
      limitMs,
      sizes: number === 0,
    };
    const report = await runLaunch<ValuesPlan, ValuesReport>(client, plan, onProgress, LIKE_A_WORKER);
    const times = { startMs: started - begun, measuredMs: performance.now() - started };
    const unsteady = report.payloads.flatMap((each) => each.unsteady.map((codec) => `${each.payload}/${codec}`));
    const blocks = report.payloads.reduce((sum, each) => sum + each.blocks.length, 0);
    return { launch: { host, ...times, blocks, unsteady }, report };
  } finally {
    await running?.stop();
  }
}
