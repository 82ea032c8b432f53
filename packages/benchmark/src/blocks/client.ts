import type { RunningHost } from '@lumenize/hosts/host';
import { seededRandom } from '@lumenize/hosts/random';
import { watchHealth } from '../engine/client-process.ts';
import type { Arm, Block, Cannot, Report, ScenarioPlan, WarmUp } from '../engine/plan.ts';
import { schedule } from '../engine/schedule.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import type { Scenario } from '../scenarios/scenario.ts';
import { isSteady } from '../statistics/summary.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { loadEarlier } from '../subjects/lumenize.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { attempt, type OpenBench, openBench, runBlock, unlessUnavailable } from './block.ts';
import { countFrames, type ObjectNames } from './frame-counter.ts';

// The client for scenarios in blocks. It is a process of its own, so that only the server shares its cores while it
// measures.

/** The factor of additional time for the first slot. Its round of every scenario matters more than the exact time. */
const FIRST_SLOT_GRACE = 1.5;

type SubjectArm = Arm<SubjectName>;

/**
 * Everything that the client process of one launch needs, including the servers: without a link, and with earlier code.
 */
export interface BlocksRequest extends Omit<RunningHost, 'stop'> {
  readonly seed: number;
  readonly scenarios: readonly ScenarioPlan<SubjectName>[];
  /**
   * The time for a launch's warm-up and rounds. No round is begun after it, so a slow machine has fewer rounds and not
   * a longer run. The first slot has half as much time again.
   */
  readonly limitMs: number;
  /** The scenario with which every arm is warmed up until it is steady. @default none */
  readonly warmUp?: string | undefined;
  /** The time after the start of the warm-up after which only the first block of each arm is begun. @default none */
  readonly warmUpLimitMs?: number | undefined;
  /** The scenarios whose frames and bytes are counted at the end, untimed. */
  readonly countFrames: readonly string[];
}

/** Measures the blocks of one launch. */
export async function blocks({ url, directUrl, seed, scenarios, ...asked }: BlocksRequest): Promise<Report> {
  const begun = performance.now();
  if (asked.earlier) await loadEarlier(asked.earlier);
  const arms = [...new Map(scenarios.flatMap((each) => each.arms).map((arm) => [arm.id, arm])).values()];
  const instanceOf = objectNames(seed, asked.names);
  const warmUps = asked.warmUp
    ? await warmUp(asked.warmUp, directUrl ?? url, arms, instanceOf, asked.warmUpLimitMs)
    : [];

  const health = watchHealth();
  const found: Block[] = [];
  const cannot: Cannot[] = [];
  const note =
    (scenario: string, { id: arm }: Arm) =>
    (reason: string) =>
      void cannot.push({ scenario, arm, reason });
  // A scenario that has worked once is tried again.
  const isAvailable = (scenario: string, { id }: Arm) =>
    [found, cannot].find((noted) => noted.some((each) => each.scenario === scenario && each.arm === id)) !== cannot;
  const available = ({ scenario, arms }: ScenarioPlan<SubjectName>) => arms.filter((arm) => isAvailable(scenario, arm));
  const benches = sharedBenches((work, arm) => {
    const subject = SUBJECTS[arm.subject];
    const opening = openBench(work, subject, { url, instance: instanceOf(arm, true) });
    return unlessUnavailable(attempt(work, subject, opening), note(work.name, arm));
  });
  let round = '';
  for (const { scenario, arm, slot, ...position } of schedule(scenarios, seededRandom(seed))) {
    // A round that has begun is finished, because half a round compares nothing.
    const next = `${scenario}/${position.round}`;
    const limitMs = slot === 0 ? FIRST_SLOT_GRACE * asked.limitMs : asked.limitMs;
    if (next !== round && performance.now() - begun > limitMs) break;
    const work = scenarioNamed(scenario);
    if (next !== round) {
      // Nothing is timed meanwhile, and many connections opened at once are late.
      health.pause();
      await benches.prepare(work, available(scenarios.find((each) => each.scenario === scenario)!));
      health.resume();
    }
    round = next;
    if (!isAvailable(scenario, arm)) continue;
    const instance = instanceOf(arm, work.ownObject || work.increments > 0);
    const running = runBlock(work, SUBJECTS[arm.subject], url, instance, { directUrl, bench: benches.of(arm) });
    const times = await unlessUnavailable(running, note(scenario, arm));
    if (times) found.push({ scenario, arm: arm.id, ...position, ...times });
  }
  const report = { blocks: found, cannot, warmUps, health: health.end() };
  await benches.close();
  const counted = scenarios.filter(({ scenario }) => asked.countFrames.includes(scenario));
  const plans = counted.map((each) => ({ ...each, arms: available(each) }));
  return { ...report, wire: await countFrames(directUrl ?? url, plans, instanceOf) };
}

/**
 * Returns a function that names a new object for every block that writes. A write costs a quarter less once an object's
 * write-ahead log has reached its full length, so an arm with more commits would look faster than it is. Reads have no
 * such effect, and an arm keeps one object for them. If objects outlive a run, `prefix` separates its objects from
 * others.
 */
function objectNames(seed: number, prefix = ''): ObjectNames {
  let fresh = 0;
  return (arm, writes) => `${prefix}${arm.id}-${seed}-${writes ? ++fresh : 'reads'}`;
}

/**
 * Creates the holder of the benches that blocks of a launch share. Each arm has one with an audience, as long as
 * successive scenarios have an audience of the same size. The benches of all arms are opened first, so that no block
 * comes right after a thousand connections.
 */
function sharedBenches(open: (scenario: Scenario, arm: SubjectArm) => Promise<OpenBench | undefined>) {
  let size: number | undefined;
  let benches = new Map<string, OpenBench>();
  const close = async () => {
    const closing = [...benches.values()].map((bench) => bench.close());
    benches = new Map();
    await Promise.all(closing);
  };
  return {
    /** Closes the benches that `scenario` does not use, and opens those that it needs. */
    async prepare(scenario: Scenario, arms: readonly SubjectArm[]): Promise<void> {
      if (scenario.audience !== size) await close();
      size = scenario.audience;
      for (const arm of size === undefined ? [] : arms) {
        const bench = benches.get(arm.id) ?? (await open(scenario, arm));
        if (bench) benches.set(arm.id, bench);
      }
    },
    /** Returns the bench of an arm, or undefined if each block has its own. */
    of: ({ id }: Arm) => benches.get(id),
    close,
  };
}

const MAX_BLOCKS = 40;

/**
 * Runs the untimed work of every arm, in turn, until all are steady or have had `MAX_BLOCKS` blocks. An arm that is
 * unavailable is left out, and its scenarios report it. After `limitMs`, only the first block of each arm is begun.
 */
async function warmUp(
  scenario: string,
  url: string,
  arms: readonly SubjectArm[],
  instanceOf: ObjectNames,
  limitMs: number = Number.POSITIVE_INFINITY,
): Promise<WarmUp[]> {
  const start = performance.now();
  const work = scenarioNamed(scenario);
  const finished: WarmUp[] = [];
  const open = new Map<SubjectArm, number[]>(arms.map((arm) => [arm, []]));
  while (open.size > 0) {
    for (const [arm, times] of open) {
      const running = runBlock(work, SUBJECTS[arm.subject], url, instanceOf(arm, true));
      const block = await unlessUnavailable(running, () => open.delete(arm));
      if (!block) continue;
      const blocks = times.push(block.totalMs);
      const steady = isSteady(times);
      const ms = performance.now() - start;
      if (!steady && blocks < MAX_BLOCKS && ms <= limitMs) continue;
      finished.push({ arm: arm.id, blocks, ms, steady });
      open.delete(arm);
    }
  }
  return finished;
}
