import { mean, median } from 'simple-statistics';
import { CONTROL } from '../blocks/arms.ts';
import type { LaunchRecord, UnavailableResult } from '../blocks/record.ts';
import type { FamilyFindings } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { meanInterval } from '../statistics/mean-interval.ts';
import type { TimedBlock } from '../statistics/pairs.ts';
import type { SampledBlock } from './launch.ts';
import {
  CANNOT,
  FIRST_CALL,
  IMPORT_CLIENT,
  IMPORT_SERVER,
  NEW_SESSION,
  RESUME,
  UPDATE,
  UPDATE_ONCE,
  WAKE,
} from './profile.ts';
import type { UpdateReading } from './update.ts';

/** What the family *start* found. */
export interface StartFindings extends FamilyFindings {
  readonly results: readonly (FigureResult | UnavailableResult)[];
  readonly launches: readonly LaunchRecord[];
}

/**
 * Makes rows of what was read, launch by launch: of times the mean over launches, each of which counts by its median; of
 * code updates the calls lost in one.
 */
export function startResults(
  subjects: readonly string[],
  imports: readonly (readonly TimedBlock[])[],
  launches: readonly (readonly SampledBlock[])[],
  updated: readonly UpdateReading[],
): (FigureResult | UnavailableResult)[] {
  const imported = imports.map((blocks) => blocks.map((block) => ({ ...block, samplesMs: [block.totalMs] })));
  const cannot = CANNOT.filter(({ subject }) => subjects.includes(subject)).map(
    ({ scenario, subject, why }): UnavailableResult => {
      return { family: 'start', scenario, subject, host: 'workerd', unavailable: why };
    },
  );
  return [
    ...[IMPORT_CLIENT, IMPORT_SERVER].flatMap((each) => timeRows(each, 'node', imported)),
    ...[FIRST_CALL, WAKE, NEW_SESSION, RESUME].flatMap((each) => timeRows(each, 'workerd', launches)),
    ...[UPDATE_ONCE, UPDATE].flatMap((each) => updateRows(each, updated)),
    ...cannot,
  ];
}

function timeRows(
  scenario: string,
  host: 'node' | 'workerd',
  launches: readonly (readonly SampledBlock[])[],
): FigureResult[] {
  const mine = launches.flat().filter((block) => block.scenario === scenario && block.arm !== CONTROL.id);
  const arms = [...new Set(mine.map(({ arm }) => arm))].toSorted();
  return arms.map((arm): FigureResult => {
    const samples = launches
      .map((blocks) =>
        blocks
          .filter((block) => block.scenario === scenario && block.arm === arm)
          .flatMap(({ samplesMs }) => samplesMs),
      )
      .filter(({ length }) => length > 0);
    const all = samples.flat();
    const detail = { samples: all.length, medianMs: median(all), minMs: Math.min(...all), maxMs: Math.max(...all) };
    const interval = meanInterval(samples.map((each) => median(each)));
    return { family: 'start', scenario, subject: arm, host, unit: 'ms', ...interval, detail };
  });
}

function updateRows(scenario: string, updated: readonly UpdateReading[]): FigureResult[] {
  const groups = Map.groupBy(
    updated.filter((each) => each.scenario === scenario),
    ({ subject }) => subject,
  );
  return [...groups].map(([subject, readings]): FigureResult => {
    const again = readings.flatMap(({ againMs }) => againMs);
    const detail = {
      calls: mean(readings.map(({ succeeded, lost }) => succeeded + lost)),
      lostThoughRunCalls: mean(readings.map((each) => Math.min(each.lost, extraRuns(each)))),
      repeatedCalls: mean(readings.map((each) => Math.max(0, extraRuns(each) - each.lost))),
      downMs: mean(readings.map(({ downMs }) => downMs)),
      answeredAgainMedianMs: median(again),
      answeredAgainMaxMs: Math.max(...again),
    };
    const interval = meanInterval(readings.map(({ lost }) => lost));
    return { family: 'start', scenario, subject, host: 'workerd', unit: 'calls lost', ...interval, detail };
  });
}

/** Runs beyond those that a client was told of: of calls that it was told were lost, or of calls that ran twice. */
function extraRuns({ value, succeeded }: UpdateReading): number {
  if (value < succeeded) throw new Error(`the counter stands at ${value} after ${succeeded} increments that succeeded`);
  return value - succeeded;
}
