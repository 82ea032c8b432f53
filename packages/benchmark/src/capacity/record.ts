import type { LaunchRecord } from '../blocks/record.ts';
import type { Objective } from './load/rung.ts';
import type { LadderReport, Method } from './plan.ts';

/** How one launch went. */
export type CapacityLaunch = Omit<LaunchRecord, 'warmUps'>;

/** A ladder of a run: its launch, counted from 0, and all that it found. */
export type LaunchedLadder = Omit<LadderReport, 'scenario' | 'arm'> & { readonly launch: number };

/**
 * How much load one subject carried. Loads are in calls per second, the figures of the whole are medians over ladders, and
 * each is missing where no ladder had it: without a knee no load was within the objective.
 */
export interface CapacityResult {
  readonly family: 'capacity';
  readonly scenario: string;
  readonly subject: string;
  readonly host: 'workerd';
  readonly unit: 'calls/s';
  readonly method: Method;
  readonly objects: number;
  readonly connections: number;
  readonly rungMs: number;
  readonly objective: Objective;
  readonly kneePerSecond?: number;
  readonly firstOverloadPerSecond?: number;
  /** The most calls that were completed at or beyond overload, of all ladders. */
  readonly peakCompletedPerSecond?: number;
  readonly recoveredAfterMs?: number;
  readonly ladders: readonly LaunchedLadder[];
}
