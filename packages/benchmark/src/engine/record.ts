import type { Place } from '@lumenize/hosts/host';
import type { Environment } from '../environment.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { LaunchRecord } from './measure.ts';
import type { Family } from './plan.ts';
import type { Row } from './row.ts';

/** A whole run, as it is written to `measurements/`: the combined findings of its families. */
export interface RunRecord {
  /** 2 since all families have rows of one type. Older runs are only in the log. */
  readonly schema: 2;
  /** The time of the run in UTC, ISO 8601. */
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
  /** The results of the run for the bars that it has figures for. */
  readonly bars: readonly Bar[];
  /** Findings that are neither rows nor comparisons, by family, one for each launch. */
  readonly extras?: Readonly<Record<string, readonly unknown[]>>;
}

/** A comparison, and the family that measured it. */
export type RecordedComparison = OfFamily<Comparison<Place>>;

/** The part of a run that belongs to one family. */
export interface FamilyRecord extends Pick<Family, 'name' | 'configuration'> {
  readonly durationMs: number;
}

/** A thing together with the family that measured it. */
export type OfFamily<Thing> = Thing & { readonly family: string };

/** The result of a run for one of the bars that the project has set itself. */
export interface Bar {
  readonly name: string;
  readonly must: string;
  /** The aim beyond the bar, and whether it is reached. */
  readonly aim?: string;
  readonly measured: string;
  readonly outcome: 'met' | 'met, but the interval reaches below' | 'missed' | 'no conclusion';
}
