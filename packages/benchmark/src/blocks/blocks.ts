import { fileURLToPath } from 'node:url';
import { createHost } from '@lumenize/hosts/create-hosts';
import type { Host, HostName } from '@lumenize/hosts/host';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { readWorkerConfig } from '@lumenize/hosts/worker-config';
import { bundleModule, bundleTasks } from '../engine/bundle.ts';
import type { ClientProcess } from '../engine/client-process.ts';
import type { Arm, Extent, Launch, PlacePlan, Plan, Report, ScenarioPlan, Wanted } from '../engine/plan.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import { WARM_UP } from '../scenarios/counter.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import type { Compared } from '../statistics/comparison.ts';
import { COMPARED } from '../subjects/arms.ts';
import type { SubjectName } from '../subjects/subject.ts';
import type * as client from './client.ts';

const CLIENT = new URL('./client.ts', import.meta.url);
const PORT_THREAD = fileURLToPath(new URL('../work/port-thread.ts', import.meta.url));

/** The scenarios of one place, and the time for them. */
export interface BlocksPlace extends PlacePlan, Pick<client.BlocksRequest, 'scenarios' | 'limitMs' | 'warmUpLimitMs'> {
  readonly host: HostName;
}

/** Scenarios that are measured in blocks, with their places and times. */
export interface BlocksPlan<Client = typeof client> extends Pick<Plan, 'budgetMs' | 'latestMs' | 'more'> {
  /** The `wrangler.toml` of the measured Worker, as a path from the root. @default the counter's */
  readonly worker?: string;
  readonly places: readonly BlocksPlace[];
  /** The scenario that warms up every arm. @default that of the counter */
  readonly warmUp?: string;
  /** Export conditions for bundling the client that come before those of Node. @default none: as it is built */
  readonly conditions?: readonly string[];
  readonly compared?: Compared;
  /** The module with the client's tasks: `blocks`, and those that `first` uses. @default ./client.ts */
  readonly client?: URL;
  /** Runs before the blocks of a launch, on the same server. @default nothing */
  first?(launch: Launch, url: string, client: ClientProcess<Client>): Promise<Report>;
  /** Returns a function that creates each host. @default a bundle of the Worker, served there */
  hosts?(directory: string): Promise<(name: HostName) => Host>;
}

/** Differences of a quick check, which runs everything once. */
const QUICK = { launches: 1, atLeast: 1, limitMs: 60_000 };
/** The number of scenarios whose frames are counted in a quick check. */
const QUICKLY_COUNTED = 2;

/** Creates the plan of scenarios that are measured in blocks, for the requested places and subjects, or for all. */
export function planBlocks<Client = typeof client>(
  blocks: BlocksPlan<Client>,
  extent: Extent = 'alone',
  wanted: Wanted = {},
): Plan {
  const quick = extent === 'quick';
  const { compared = COMPARED, hosts = (directory) => localHosts(blocks.worker, directory) } = blocks;
  const places = blocks.places
    .filter(({ host }) => wanted.hosts?.includes(host) ?? true)
    .map((place): BlocksPlace => {
      const plans = quick ? place.scenarios.map((plan) => once(plan, compared.control)) : place.scenarios;
      const scenarios = narrowed(plans, wanted.subjects, compared.control);
      return { ...place, ...(quick && QUICK), scenarios };
    });
  const names = new Set(places.flatMap(({ scenarios }) => scenarios.map(({ scenario }) => scenario)));
  const scenarios = [...names].map((name) => scenarioNamed(name));
  // A quick check opens no second audience for counting.
  const canBeCounted = ({ counted, audience }: Scenario) => counted !== false && !(quick && audience);
  const counted = scenarios.filter(canBeCounted).map(({ name }) => name);
  const countFrames = counted.slice(0, quick ? QUICKLY_COUNTED : undefined);
  const warmUp = quick ? undefined : (blocks.warmUp ?? WARM_UP.name);
  return {
    ...{ ...blocks, places, compared, scenarios },
    async open(directory) {
      const hostOf = await hosts(directory);
      const bundle = await bundleTasks(blocks.client ?? CLIENT, directory, { conditions: blocks.conditions });
      // Beside the client's bundle: the client starts it if a port is needed.
      await bundleModule(PORT_THREAD, directory, { name: 'port-thread', conditions: blocks.conditions });
      // Frames and bytes are the same every time and in every place, so counting once is enough.
      const uncounted = new Set(countFrames);
      return async (launch) => {
        const { host, number, seed, keep, client: start } = launch;
        const { scenarios: all, limitMs, warmUpLimitMs } = places.find((place) => place.host === host)!;
        const { stop: _, ...server } = await keep(hostOf(host as HostName).start());
        const process = start<typeof client & Client>(bundle);
        const earlier: Report = (await blocks.first?.(launch, server.url, process)) ?? {};
        const mine = all.filter(({ launches = Number.POSITIVE_INFINITY }) => number < launches);
        const counting = mine.map(({ scenario }) => scenario).filter((name) => uncounted.delete(name));
        const asked = { ...server, seed, scenarios: mine, limitMs, warmUp, warmUpLimitMs, countFrames: counting };
        const found = await (process as ClientProcess<typeof client>).ask('blocks', asked);
        const { blocks: own = [], cannot = [] } = earlier;
        return { ...found, ...earlier, blocks: [...own, ...found.blocks!], cannot: [...cannot, ...found.cannot!] };
      };
    },
  };
}

async function localHosts(file: string | undefined, directory: string): Promise<(name: HostName) => Host> {
  const config = readWorkerConfig(file);
  const worker = await bundleWorker(config.main, directory);
  return (name) => createHost(name, worker, config);
}

/**
 * Returns the plan of one block with every subject, or with one subject for a long scenario. It shows that everything
 * works.
 */
function once({ scenario, arms }: ScenarioPlan<SubjectName>, control: Arm): ScenarioPlan<SubjectName> {
  const shown = scenarioNamed(scenario).long ? arms.slice(0, 1) : arms.filter(({ id }) => id !== control.id);
  return { scenario, arms: shown, rounds: 1, mirrored: false };
}

/** Keeps the arms of these subjects, or of all, and the A/A arm with its subject. Drops scenarios without arms. */
function narrowed(
  plans: readonly ScenarioPlan<SubjectName>[],
  subjects: readonly string[] | undefined,
  control: Arm,
): ScenarioPlan<SubjectName>[] {
  return plans.flatMap((plan) => {
    const arms = plan.arms.filter(({ id }) => id !== control.id && (subjects?.includes(id) ?? true));
    if (arms.length === 0) return [];
    const again = plan.arms.filter(({ id }) => id === control.id && arms.some((arm) => arm.id === control.subject));
    return [{ ...plan, arms: [...arms, ...again] }];
  });
}
