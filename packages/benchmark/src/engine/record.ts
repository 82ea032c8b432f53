import type { Place } from '@lumenize/hosts/host';
import type { Environment } from '../environment.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { LaunchRecord } from './measure.ts';
import type { Family } from './plan.ts';
import type { Row } from './row.ts';

/** What every run says of itself, however old its file. */
export interface RecordHead {
  /** 2 since every family has rows of one type. */
  readonly schema: 1 | 2;
  /** UTC, ISO 8601. */
  readonly takenAt: string;
  readonly commit: string;
  readonly dirty: boolean;
  readonly profile: string;
  readonly seed: number;
  readonly durationMs: number;
  readonly environment: Environment;
}

/** A comparison, and the family that measured it; the oldest files do not name it. */
export type RecordedComparison = Comparison<Place> & { readonly family?: string };

/** What files of every schema have: enough for a history of ratios. */
export interface RecordedRun extends RecordHead {
  readonly comparisons: readonly RecordedComparison[];
}

/** A whole run, as it is written to `measurements/`: what its families found, put together. */
export interface RunRecord extends RecordHead {
  readonly schema: 2;
  readonly families: readonly FamilyRecord[];
  readonly launches: readonly OfFamily<LaunchRecord>[];
  readonly rows: readonly Row[];
  readonly comparisons: readonly OfFamily<Comparison<Place>>[];
  /** How the run stands against the bars that it has figures for. */
  readonly bars: readonly Bar[];
  /** What is neither row nor comparison, by family: what each launch gave. */
  readonly extras?: Readonly<Record<string, readonly unknown[]>>;
}

/** One family's part of a run. */
export interface FamilyRecord extends Pick<Family, 'name' | 'configuration'> {
  readonly durationMs: number;
}

/** Says with which family a thing was measured. */
export type OfFamily<Thing> = Thing & { readonly family: string };

/** How a run stands against one of the bars that the project has set itself. */
export interface Bar {
  readonly name: string;
  readonly must: string;
  /** What is aimed at beyond that, and whether it is reached. */
  readonly aim?: string;
  readonly measured: string;
  readonly outcome: 'met' | 'met, but the interval reaches below' | 'missed' | 'no conclusion';
}
