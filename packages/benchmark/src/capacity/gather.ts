import { median } from 'simple-statistics';
import { CONTROL } from '../blocks/arms.ts';
import type { TimedBlock } from '../statistics/pairs.ts';
import { type CapacityReport, type LadderReport, type Search, scenarioOf } from './plan.ts';
import type { CapacityResult, LaunchedLadder } from './record.ts';

const MS_PER_S = 1000;

/** Gathers what the launches found into one row per cell and subject; the A/A arm has none. */
export function gatherCapacity(
  { cells, arms, connections, rungMs, objective }: Search,
  reports: readonly CapacityReport[],
): CapacityResult[] {
  return cells.flatMap(({ method, objects }) => {
    const scenario = scenarioOf({ method, objects });
    const subjects = arms.filter(({ id }) => id !== CONTROL.id);
    return subjects.map(({ id: subject }): CapacityResult => {
      const ladders = reports.flatMap((report, launch) =>
        report.ladders
          .filter((each) => each.scenario === scenario && each.arm === subject)
          .map(({ scenario: _, arm: __, ...ladder }): LaunchedLadder => ({ launch, ...ladder })),
      );
      return {
        ...({ family: 'capacity', scenario, subject, host: 'workerd', unit: 'calls/s' } as const),
        ...{ method, objects, connections, rungMs, objective },
        ...figuresOf(ladders),
        ladders,
      };
    });
  });
}

function figuresOf(ladders: readonly LaunchedLadder[]): Partial<CapacityResult> {
  const middle = (values: readonly (number | undefined)[]) => {
    const known = values.filter((each) => each !== undefined);
    return known.length === 0 ? undefined : median(known);
  };
  const figures = {
    kneePerSecond: middle(ladders.map((each) => each.kneePerSecond)),
    firstOverloadPerSecond: middle(ladders.map((each) => each.firstOverloadPerSecond)),
    peakCompletedPerSecond: peakCompleted(ladders),
    recoveredAfterMs: middle(ladders.map((each) => each.recovery?.recoveredAfterMs)),
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

function peakCompleted(ladders: readonly LaunchedLadder[]): number | undefined {
  const rungs = ladders.flatMap(({ rungs: all, recovery }) => (recovery ? [...all, recovery.overload] : all));
  const beyond = rungs.filter(({ reasons }) => reasons.length > 0);
  return beyond.length === 0 ? undefined : Math.max(...beyond.map((rung) => rung.completedPerSecond));
}

/**
 * Puts knees into the form in which times are compared: a call's share of a second at the knee, so that baseline over
 * subject is the subject's knee over the baseline's. A ladder without a knee has no ratio.
 */
export function kneesAsTimes({ ladders }: CapacityReport): TimedBlock[] {
  return ladders.flatMap(({ scenario, arm, repeat, kneePerSecond }: LadderReport): TimedBlock[] => {
    if (kneePerSecond === undefined) return [];
    return [{ scenario, arm, round: repeat, pass: 0, totalMs: MS_PER_S / kneePerSecond }];
  });
}
