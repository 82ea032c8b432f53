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

/** How one launch went. */
export interface LaunchRecord extends Pick<Report, 'warmUps' | 'health'> {
  readonly host: Place;
  /** Until the first that it waits for has started. */
  readonly startMs: number;
  readonly measuredMs: number;
}

/** What the measurement of one family found. */
export type Findings = Awaited<ReturnType<typeof measurePlan>>;

type Launched = LaunchRecord & { readonly report: Report };

/** Measures a family, or the part of it that is wanted. Rejects when a server does not start, and when any answer is wrong. */
export function measure(family: Family, extent: Extent, wanted: Wanted, context: Context): Promise<Findings> {
  return measurePlan(family, family.plan(extent, wanted), context);
}

/** Carries out a plan: launches one after the other, the places in turn. */
export async function measurePlan({ name, subjects }: Pick<Family, 'name' | 'subjects'>, plan: Plan, context: Context) {
  try {
    return await withRunDirectory(async (directory) => {
      const launched = await runLaunches(plan, directory, context);
      const random = seededRandom(context.seed);
      const scenarios = plan.scenarios.map((scenario) => scenario.name);
      // Frames and bytes are counted once, wherever that is.
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
        /** What launches found beside times and figures, one each. */
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
  progress.start(places.reduce((sum, { launches, steps = 1 }) => sum + launches * steps, 0));
  const launch = await plan.open(directory);
  const launched: Launched[] = [];
  const lastMs = new Map<Place, number>();
  let done = 0;
  for (const { place, number } of interleaved(places)) {
    const { host, launches, atLeast = launches, steps = 1 } = place;
    const begun = performance.now();
    // A slow machine has fewer launches, which its intervals show, rather than a run without an end.
    const end = begun - start + (lastMs.get(host) ?? 0);
    if (end <= (number < atLeast ? latestMs : budgetMs)) {
      const doing = `${host}, launch ${number + 1} of ${launches}`;
      const tell = (of: number, what?: string) =>
        progress.update(done + Math.min(of, steps), what === undefined ? doing : `${doing}: ${what}`);
      launched.push(await oneLaunch(launch, { host, number, seed: seed * 1000 + number, progress: tell }));
      lastMs.set(host, performance.now() - begun);
    }
    done += steps;
    progress.update(done, host);
  }
  return launched;
}

async function oneLaunch(
  launch: (launch: Launch) => Promise<Report>,
  about: Pick<Launch, 'host' | 'number' | 'seed' | 'progress'>,
): Promise<Launched> {
  about.progress(0);
  const begun = performance.now();
  const kept: { stop(): unknown }[] = [];
  let startMs = 0;
  try {
    const report = await launch({
      ...about,
      async keep(started) {
        const asked = performance.now();
        const running = await started;
        startMs ||= performance.now() - asked;
        kept.push(running);
        return running;
      },
      client<T>(bundle: string, options?: ProcessOptions) {
        const client = new ClientProcess<T>(bundle, options);
        kept.push(client);
        return client;
      },
    });
    const { warmUps, health } = report;
    const measuredMs = performance.now() - begun - startMs;
    return { host: about.host, startMs, measuredMs, ...(warmUps && { warmUps }), ...(health && { health }), report };
  } finally {
    // The newest first: clients before their servers.
    for (const each of kept.reverse()) await each.stop();
  }
}

/** Takes the places in turn, so that a change of the machine's speed does not fall on one alone. */
function interleaved(places: readonly PlacePlan[]): { place: PlacePlan; number: number }[] {
  const launches = places.flatMap((place) =>
    Array.from({ length: place.launches }, (_, number) => ({ place, number })),
  );
  return launches.sort((a, b) => a.number - b.number);
}

/** Lets `work` have a directory of its own, which is gone when it is done or this process ends. */
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

/** Returns `name` as one of `names`; throws where it is none of them. */
export function expectOneOf<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
  const found = names.find((each) => each === name);
  if (found === undefined) throw new Error(`no ${what} is called ${name}; there are ${names.join(', ')}`);
  return found;
}
