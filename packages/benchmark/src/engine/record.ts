import type { Place } from '@lumenize/hosts/host';
import type { Environment } from '../environment.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { LaunchRecord } from './measure.ts';
import type { Family } from './plan.ts';
import type { Row } from './row.ts';

/** A whole run, as it is written to `measurements/`: what its families found, put together. */
export interface RunRecord {
  /** 2 since every family has rows of one type: runs of before are in the log only. */
  readonly schema: 2;
  /** UTC, ISO 8601. */
  readonly takenAt: string;
  readonly commit: string;
  readonly dirty: boolean;
  readonly profile: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly environment: Environment;
  readonly families: readonly FamilyRecord[];
  readonly launches: readonly OfFamily<LaunchRecord>[];
  readonly rows: readonly Row[];
  readonly comparisons: readonly RecordedComparison[];
  /** Standing of the run against the bars that it has figures for. */
  readonly bars: readonly Bar[];
  /** Findings that are neither rows nor comparisons, by family, one of each launch. */
  readonly extras?: Readonly<Record<string, readonly unknown[]>>;
}

/** A comparison, and the family that measured it. */
export type RecordedComparison = OfFamily<Comparison<Place>>;

/** One family's part of a run. */
export interface FamilyRecord extends Pick<Family, 'name' | 'configuration'> {
  readonly durationMs: number;
}

/** Adds the family that measured a thing. */
export type OfFamily<Thing> = Thing & { readonly family: string };

/** Standing of a run against one of the bars that the project has set itself. */
export interface Bar {
  readonly name: string;
  readonly must: string;
  /** The aim beyond that, and whether it is reached. */
  readonly aim?: string;
  readonly measured: string;
  readonly outcome: 'met' | 'met, but the interval reaches below' | 'missed' | 'no conclusion';
}
