import type { Environment } from './environment/machine.ts';
import type { FamilyLaunch, FigureResult, Result } from './families/results.ts';
import type { HostName, Place } from './hosts/host.ts';
import type { ClientHealth, FrameCounts, WarmUp } from './load/plan.ts';
import type { BarResult } from './log/bars.ts';
import type { Family } from './scenarios/scenario.ts';
import type { Comparison } from './statistics/comparison.ts';
import type { Summary } from './statistics/summary.ts';

/** What one subject did in one scenario on one host. Times are in ms; frames and bytes, where counted, are per sample. */
export interface TimeResult extends Summary, Partial<FrameCounts> {
  readonly family: Family;
  readonly scenario: string;
  readonly subject: string;
  readonly host: HostName;
  readonly unit: 'ms';
  /**
   * What one sample times: a call, a turn of many calls, a stream, a connection up to its first answer, or an event's way from
   * `publish` to one subscriber.
   */
  readonly sample: 'call' | 'turn' | 'stream' | 'connection' | 'delivery';
  readonly opsPerSecond: number;
  readonly launches: number;
  readonly blocks: number;
  /** Operations in one block, and the median time of a block. */
  readonly blockOperations: number;
  readonly blockMedianMs: number;
  /** Standard deviation of the blocks' times, as a share of their mean. */
  readonly blockVariation: number;
  /** Compressed HdrHistogram of the samples in ns, base64. */
  readonly samples: string;
}

/** Says that a subject cannot do a scenario. */
export interface UnavailableResult {
  readonly family: string;
  readonly scenario: string;
  readonly subject: string;
  readonly host: HostName;
  readonly unavailable: string;
}

/** The size of what a client has to load. */
export interface SizeResult {
  readonly family: 'size';
  readonly scenario: 'client-bundle';
  readonly subject: string;
  readonly host: 'browser';
  readonly unit: 'B';
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/** How one launch went. */
export interface LaunchRecord {
  readonly host: HostName;
  readonly startMs: number;
  readonly measuredMs: number;
  readonly warmUps: readonly WarmUp[];
  readonly client: ClientHealth;
}

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

/** What the measurement of scenarios in blocks found. */
export interface BlockFindings {
  readonly launches: readonly LaunchRecord[];
  readonly results: readonly (TimeResult | UnavailableResult | SizeResult | FigureResult)[];
  readonly comparisons: readonly Comparison[];
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
