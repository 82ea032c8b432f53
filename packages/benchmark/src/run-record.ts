import type { SizeResult, TimeResult, UnavailableResult } from './blocks/record.ts';
import type { Environment } from './environment/machine.ts';
import type { FamilyLaunch, Result } from './families/results.ts';
import type { Place } from './hosts/host.ts';
import type { FrameCounts } from './load/plan.ts';
import type { BarResult } from './log/bar-result.ts';
import type { Comparison } from './statistics/comparison.ts';

/** What every run says of itself. */
export interface RecordHead {
  readonly schema: 1;
  /** UTC, ISO 8601. */
  readonly takenAt: string;
  readonly commit: string;
  readonly dirty: boolean;
  readonly profile: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly environment: Environment;
}

/** One family's part of a run. */
export interface FamilyRecord {
  readonly name: string;
  readonly durationMs: number;
  /** What was measured and how, a line each. */
  readonly configuration: readonly string[];
}

/** A whole run, as it is written to `measurements/`: what its families found, put together. */
export interface RunRecord extends RecordHead {
  readonly families: readonly FamilyRecord[];
  readonly launches: readonly OfFamily<FamilyLaunch>[];
  readonly results: readonly Result[];
  readonly comparisons: readonly OfFamily<Comparison<Place>>[];
  /** How the run stands against the bars that it has figures for. */
  readonly bars: readonly BarResult[];
}

/** Says with which family a thing was measured, which need not be the one that its scenario is of. */
export type OfFamily<Thing> = Thing & { readonly family: string };

/** Returns the results of a run that are times of calls and the like. */
export function timeResults(run: { readonly results: readonly Result[] }): TimeResult[] {
  return run.results.filter((result): result is TimeResult => 'blockMedianMs' in result);
}

/** Returns the frames and bytes of a result, where they were counted. */
export function frameCounts({ framesUp, framesDown, bytesUp, bytesDown }: TimeResult): FrameCounts | undefined {
  if (framesUp === undefined || framesDown === undefined) return undefined;
  if (bytesUp === undefined || bytesDown === undefined) return undefined;
  return { framesUp, framesDown, bytesUp, bytesDown };
}

/** Returns what subjects could not do. */
export function unavailableResults(run: { readonly results: readonly Result[] }): UnavailableResult[] {
  return run.results.filter((result) => 'unavailable' in result);
}

/** Returns the sizes of a run. */
export function sizeResults(run: { readonly results: readonly Result[] }): SizeResult[] {
  return run.results.filter((result): result is SizeResult => 'minified' in result);
}
