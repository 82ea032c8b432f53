import type { SubjectName } from '../subjects/subject.ts';
import type { Wire } from './count-wire.ts';
import type { Folded } from './fold.ts';

/** One subject's turn with one workload. */
export interface Cell {
  readonly workload: string;
  readonly subject: SubjectName;
}

/** How long each part of a cell lasts. */
export interface CellTimes {
  readonly warmUpMs: number;
  readonly plainMs: number;
  readonly profiledMs: number;
}

/** All that the client process of one launch has to know. */
export interface ProfilePlan extends CellTimes {
  readonly seed: number;
  /** A server without an inspector, for what is timed and counted. */
  readonly url: string;
  /** A server that is profiled, and the address of its inspector (`ws://…`). */
  readonly inspectedUrl: string;
  readonly inspector: string;
  /** The bundles that run here and there, beside their source maps. */
  readonly clientBundle: string;
  readonly workerBundle: string;
  readonly cells: readonly Cell[];
  /** The workloads whose frames, bytes and round trips are counted. */
  readonly countWire: readonly string[];
}

/** One side's samples by step and function, for so many calls, each sample worth `tickUs`. */
export interface Profiled {
  readonly client: Folded;
  readonly server: Folded;
  readonly calls: number;
  readonly tickUs: number;
  /** Median time of a sample while both sides were profiled, in µs. */
  readonly sampleUs: number;
}

/** What a launch found of one cell. */
export interface CellReport extends Cell {
  /** Median time of a sample without a profiler, in µs. */
  readonly sampleUs: number;
  readonly samples: number;
  readonly profiled: Profiled;
  readonly wire?: Wire | undefined;
}

/** A cell that a subject cannot do. */
export interface UnavailableCell extends Cell {
  readonly unavailable: string;
}

/** All that one launch found. */
export interface ProfileReport {
  readonly cells: readonly (CellReport | UnavailableCell)[];
}
