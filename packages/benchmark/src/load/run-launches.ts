import type { HostPlan, Profile } from '../blocks/profiles.ts';
import type { Host, HostName } from '../hosts/host.ts';
import type { Progress } from '../progress.ts';
import { type LaunchPlan, type LaunchReport, plannedBlocks } from './plan.ts';
import { runLaunch } from './run-launch.ts';

/** What one launch found and how long it took. */
export interface LaunchOutcome {
  readonly host: HostName;
  readonly startMs: number;
  readonly measuredMs: number;
  readonly report: LaunchReport;
}

/** What the launches of a run share. */
export interface LaunchContext {
  /** Path of the bundled load generator. */
  readonly client: string;
  readonly seed: number;
  hostOf(name: HostName): Host;
  /** When the run began, by `performance.now()`. */
  readonly begun: number;
  readonly progress: Progress;
}

/** Runs the launches of a profile one after the other, each on a fresh server, and resolves with their outcomes. */
export async function runLaunches(profile: Profile, context: LaunchContext): Promise<LaunchOutcome[]> {
  const outcomes: LaunchOutcome[] = [];
  const lastMs = new Map<HostName, number>();
  const uncounted = new Set(profile.countFrames);
  let done = 0;
  for (const { plan, launch } of interleaved(profile.hosts)) {
    const begun = performance.now();
    // A slow machine has fewer launches, which its intervals show, rather than a run without an end.
    const end = begun - context.begun + (lastMs.get(plan.host) ?? 0);
    const wanted = launch < (plan.atLeast ?? plan.launches);
    if (end <= (wanted ? profile.latestMs : profile.budgetMs)) {
      // Frames and bytes are the same every time and on every host, so that once is enough.
      const scenarios = plan.scenarios.filter(({ launches = Number.POSITIVE_INFINITY }) => launch < launches);
      const countFrames = scenarios.map(({ scenario }) => scenario).filter((name) => uncounted.delete(name));
      outcomes.push(await oneLaunch(plan, launch, { ...warmUpOf(profile), scenarios, countFrames }, context, done));
      lastMs.set(plan.host, performance.now() - begun);
    }
    done += plannedBlocks(plan.scenarios);
    context.progress.update(done, plan.host);
  }
  return outcomes;
}

function warmUpOf({ warmUp, warmUpScenario }: Profile): Pick<LaunchPlan, 'warmUp' | 'warmUpScenario'> {
  return { warmUp, warmUpScenario };
}

async function oneLaunch(
  plan: HostPlan,
  launch: number,
  parts: Pick<LaunchPlan, 'warmUp' | 'warmUpScenario' | 'scenarios' | 'countFrames'>,
  { client, seed, hostOf, progress }: LaunchContext,
  done: number,
): Promise<LaunchOutcome> {
  const doing = `${plan.host}, launch ${launch + 1} of ${plan.launches}`;
  progress.update(done, doing);
  const begun = performance.now();
  const server = await hostOf(plan.host).start();
  try {
    const started = performance.now();
    const report = await runLaunch<LaunchPlan, LaunchReport>(
      client,
      {
        url: server.url,
        // Another order in every launch, and the same ones when the run is repeated with its seed.
        seed: seed * 1000 + launch,
        limitMs: plan.limitMs,
        warmUpLimitMs: plan.warmUpLimitMs,
        directUrl: server.directUrl,
        earlier: server.earlier,
        names: server.names,
        ...parts,
      },
      (blocks) => progress.update(done + blocks, doing),
    );
    return { host: plan.host, startMs: started - begun, measuredMs: performance.now() - started, report };
  } finally {
    await server.stop();
  }
}

/** Takes the hosts in turn, so that a change of the machine's speed does not fall on one host alone. */
function* interleaved(hosts: readonly HostPlan[]): Iterable<{ plan: HostPlan; launch: number }> {
  const most = Math.max(0, ...hosts.map(({ launches }) => launches));
  for (let launch = 0; launch < most; launch++) {
    for (const plan of hosts) if (launch < plan.launches) yield { plan, launch };
  }
}
