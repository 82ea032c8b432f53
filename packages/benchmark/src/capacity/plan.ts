import type { Arm, ClientHealth } from '../load/plan.ts';
import type { CapacitySubject } from './callers/all.ts';
import type { LadderOptions } from './ladder.ts';
import type { Objective, Rung } from './load/rung.ts';

/** What is called: nothing at all, or the write of a small row. */
export type Method = 'noop' | 'insert';

/** A method, and on how many objects the calls fall. */
export interface Cell {
  readonly method: Method;
  readonly objects: number;
}

/** Returns the scenario of a cell. */
export function scenarioOf({ method, objects }: Cell): string {
  return `capacity/${method}-${objects === 1 ? '1-object' : `${objects}-objects`}`;
}

/** What a run searches for, and how thoroughly. */
export interface Search {
  readonly cells: readonly Cell[];
  readonly arms: readonly Arm<CapacitySubject>[];
  /** Of each arm, spread over the objects. */
  readonly connections: number;
  /** Ladders of each arm in each cell. */
  readonly repeats: number;
  readonly objective: Objective;
  readonly warmUpMs: number;
  readonly rungMs: number;
  /** For how long an arm is watched after an overload, where it is. */
  readonly probeMs: number;
  readonly ladder: Omit<LadderOptions, 'start'>;
}

/** All that the client process of one launch has to know; it is sent to it as JSON. */
export interface CapacityPlan extends Search {
  readonly url: string;
  readonly seed: number;
  /** Whether it is measured too how long an overload is felt. */
  readonly recovery: boolean;
  /** No cell's second ladder is begun later than this after the start. */
  readonly limitMs: number;
}

/** What came after an overload. */
export interface Recovery {
  /** Half as much again as the first overload. */
  readonly overload: Rung;
  /** From the end of the overload until calls were within the objective again; none where that took longer than was watched, or the load was within capacity. */
  readonly recoveredAfterMs?: number;
}

/** What one ladder found: every rung, in the order of the search. */
export interface LadderReport {
  readonly scenario: string;
  readonly arm: string;
  readonly repeat: number;
  /** The loads of knee and first overload, in calls per second. */
  readonly kneePerSecond?: number;
  readonly firstOverloadPerSecond?: number;
  readonly rungs: readonly Rung[];
  readonly recovery?: Recovery;
}

/** All that one launch found out. */
export interface CapacityReport {
  readonly ladders: readonly LadderReport[];
  readonly client: ClientHealth;
}
