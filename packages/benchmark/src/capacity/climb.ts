import { type Random, shuffled } from '@lumenize/hosts/random';
import { delay } from '../delay.ts';
import type { Arm } from '../load/plan.ts';
import { answersTo, Bench } from './bench.ts';
import type { CapacitySubject } from './callers/all.ts';
import { Ladder } from './ladder.ts';
import { evenArrivals, poissonArrivals } from './load/arrivals.ts';
import { type Objective, type Rung, rungOf } from './load/rung.ts';
import { type CapacityPlan, type Cell, type LadderReport, type Recovery, scenarioOf } from './plan.ts';
import { recoveredAfterMs } from './recovery.ts';

/** Of what a closed loop completes, the part that a first ladder begins with: safely below the knee of most. */
const START_SHARE = 0.6;
/** By so much loads differ around a knee that is known from an earlier ladder. */
const STEP_AROUND_KNEE = 1.12;
const OVERLOAD = 1.5;
const PROBE_EVERY_MS = 5;
/** Time between loads, in which both sides may put away what they no longer need. */
const PAUSE_MS = 20;

interface Climber {
  readonly arm: Arm<CapacitySubject>;
  readonly bench: Bench;
  readonly ladder: Ladder;
}

/** One cell's ladders: which, of which repeat, and what was found before. */
export interface Climb {
  readonly cell: Cell;
  readonly repeat: number;
  readonly before: readonly LadderReport[];
}

/**
 * Climbs the ladders of all arms in one cell. Their rungs take turns, in another order each time, so that a change of the
 * machine's speed falls on all of them. Rejects where an answer is wrong or missing.
 */
export async function climb(
  plan: CapacityPlan,
  { cell, repeat, before }: Climb,
  random: Random,
): Promise<LadderReport[]> {
  const scenario = scenarioOf(cell);
  const climbers: Climber[] = [];
  try {
    for (const arm of shuffled(plan.arms, random)) {
      const prefix = [arm.id, plan.seed, repeat, cell.method, cell.objects].join('-');
      const bench = await Bench.open({ ...plan, ...cell, subject: arm.subject, prefix }, random);
      const rate = await bench.closedLoop(plan.warmUpMs);
      const known = before.find((each) => each.scenario === scenario && each.arm === arm.id)?.kneePerSecond;
      const start = known ?? START_SHARE * rate;
      const step = known === undefined ? plan.ladder.step : STEP_AROUND_KNEE;
      climbers.push({ arm, bench, ladder: new Ladder({ ...plan.ladder, start, step }) });
    }
    for (let open = climbers; open.length > 0; open = open.filter(({ ladder }) => ladder.next() !== undefined)) {
      for (const { bench, ladder } of shuffled(open, random)) {
        const perSecond = ladder.next()!;
        ladder.record(await runRung(bench, perSecond, plan, random));
        await delay(PAUSE_MS);
      }
    }
    const reports: LadderReport[] = [];
    for (const { arm, bench, ladder } of shuffled(climbers, random)) {
      const { knee, firstOverload } = ladder.found;
      const overload = plan.recovery && repeat === 0 ? firstOverload : undefined;
      reports.push({
        ...{ scenario, arm: arm.id, repeat, rungs: ladder.rungs },
        ...(knee && { kneePerSecond: knee.offeredPerSecond }),
        ...(firstOverload && { firstOverloadPerSecond: firstOverload.offeredPerSecond }),
        ...(overload && { recovery: await recover(bench, overload.offeredPerSecond, plan, random) }),
      });
      await bench.verify();
    }
    return reports;
  } finally {
    for (const { bench } of climbers) bench.close();
    await delay(PAUSE_MS);
  }
}

async function runRung(
  bench: Bench,
  perSecond: number,
  { rungMs, objective }: { rungMs: number; objective: Objective },
  random: Random,
): Promise<Rung> {
  const offering = bench.offer(poissonArrivals(perSecond, rungMs, random), rungMs);
  return rungOf(perSecond, rungMs, await answersTo(offering), objective);
}

/** Overloads an arm and watches it from the end of that on, while it still works on what it was left with. */
async function recover(
  bench: Bench,
  firstOverload: number,
  { rungMs, probeMs, objective }: CapacityPlan,
  random: Random,
): Promise<Recovery> {
  const perSecond = Number((OVERLOAD * firstOverload).toPrecision(3));
  const overload = bench.offer(poissonArrivals(perSecond, rungMs, random), rungMs);
  await overload.offered;
  const probes = bench.offer(evenArrivals(PROBE_EVERY_MS, Math.ceil(probeMs / PROBE_EVERY_MS)), probeMs);
  const [times, { latenciesMs }] = await Promise.all([answersTo(overload), answersTo(probes)]);
  const rung = rungOf(perSecond, rungMs, times, objective);
  const afterMs = recoveredAfterMs(latenciesMs, PROBE_EVERY_MS, objective.p99Ms);
  // From a load that turned out to be none too many there is nothing to recover.
  if (rung.reasons.length === 0 || afterMs === undefined) return { overload: rung };
  return { overload: rung, recoveredAfterMs: afterMs };
}
