import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Place } from '@lumenize/hosts/host';
import { seededRandom } from '@lumenize/hosts/random';
import { compare } from '../statistics/comparison.ts';
import { ClientProcess, type ProcessOptions } from './client-process.ts';
import { gather } from './gather.ts';
import type { Context, Extent, Family, Launch, PlacePlan, Plan, Report, Wanted } from './plan.ts';

/** The record of one launch. */
export interface LaunchRecord extends Pick<Report, 'warmUps' | 'health'> {
  readonly host: Place;
}

/** The findings of one family. */
export type Findings = Awaited<ReturnType<typeof measure>>;

type Launched = LaunchRecord & { readonly report: Report };

/**
 * Measures a family, or the requested part of it. The launches run one after the other, and the places take turns.
 * Rejects if a server does not start or if any answer is wrong.
 */
export async function measure({ name, subjects, ...family }: Family, extent: Extent, wanted: Wanted, context: Context) {
  const plan = family.plan(extent, wanted);
  try {
    return await withRunDirectory(async (directory) => {
      const launched = await runLaunches(plan, directory, context);
      const random = seededRandom(context.seed);
      const scenarios = plan.scenarios.map((scenario) => scenario.name);
      // Frames and bytes are counted only once, in any place.
      const wire = launched.flatMap(({ report }) => report.wire ?? []);
      const found = plan.places.map(({ host }) => {
        const reports = launched.filter((each) => each.host === host).map(({ report }) => report);
        const blocks = reports.map((report) => report.blocks ?? []);
        const comparisons = plan.compared ? compare(host, blocks, scenarios, random, plan.compared) : [];
        const rows = gather({ family: name, host, subjects, plan, reports, wire });
        return { rows: [...rows, ...(plan.more?.({ host, reports, rows, comparisons }) ?? [])], comparisons };
      });
      return {
        rows: found.flatMap(({ rows }) => rows),
        comparisons: found.flatMap(({ comparisons }) => comparisons),
        launches: launched.map(({ report, ...launch }): LaunchRecord => launch),
        /** Findings of launches that are neither times nor figures, one for each launch. */
        extras: launched.flatMap(({ report: { extra } }) => (extra === undefined ? [] : [extra])),
      };
    });
  } finally {
    context.progress.stop();
  }
}

async function runLaunches(plan: Plan, directory: string, { seed, progress }: Context): Promise<Launched[]> {
  const { places, budgetMs = Number.POSITIVE_INFINITY, latestMs = Number.POSITIVE_INFINITY } = plan;
  const start = performance.now();
  const launch = await plan.open(directory);
  const launched: Launched[] = [];
  const lastMs = new Map<Place, number>();
  for (const { place, number } of interleaved(places)) {
    const { host, launches, atLeast = launches } = place;
    const begun = performance.now();
    // On a slow machine there are fewer launches, which the intervals show, instead of an endless run.
    const end = begun - start + (lastMs.get(host) ?? 0);
    if (end <= (number < atLeast ? latestMs : budgetMs)) {
      progress.update(`${host}, launch ${number + 1} of ${launches}`);
      launched.push(await oneLaunch(launch, { host, number, seed: seed * 1000 + number }));
      lastMs.set(host, performance.now() - begun);
    }
  }
  return launched;
}

async function oneLaunch(
  launch: (launch: Launch) => Promise<Report>,
  about: Pick<Launch, 'host' | 'number' | 'seed'>,
): Promise<Launched> {
  // The newest process is stopped first, so clients stop before their servers.
  await using kept = new AsyncDisposableStack();
  const keep = <Started extends { stop(): unknown }>(started: Started): Started => {
    kept.defer(async () => void (await started.stop()));
    return started;
  };
  const report = await launch({
    ...about,
    keep: async (started) => keep(await started),
    client: <T>(bundle: string, options?: ProcessOptions) => keep(new ClientProcess<T>(bundle, options)),
  });
  const { warmUps, health } = report;
  return { host: about.host, ...(warmUps && { warmUps }), ...(health && { health }), report };
}

/**
 * Orders launches so that the places take turns. A change of the machine's speed then does not affect only one place.
 */
function interleaved(places: readonly PlacePlan[]): { place: PlacePlan; number: number }[] {
  const launches = places.flatMap((place) =>
    Array.from({ length: place.launches }, (_, number) => ({ place, number })),
  );
  return launches.sort((a, b) => a.number - b.number);
}

/** Runs `work` with a directory of its own. The directory is removed when the work is done or this process ends. */
async function withRunDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'benchmark-run-'));
  // A server that is about to be ended may still write there.
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  process.once('exit', remove);
  try {
    return await work(directory);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Returns `name` as one of `names`. Throws if it is not one of them. */
export function expectOneOf<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === name);
  if (found === undefined) throw new Error(`no ${what} is called ${name}; there are ${names.join(', ')}`);
  return found;
}
