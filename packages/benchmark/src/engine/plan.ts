import type { Place } from '@lumenize/hosts/host';
import type { Random } from '@lumenize/hosts/random';
import type { Compared, Comparison } from '../statistics/comparison.ts';
import type { ClientProcess, ProcessOptions, Tasks } from './client-process.ts';
import type { Report } from './report.ts';
import type { Row, Sample } from './row.ts';

/**
 * How much of a family is measured: `alone`, in the time of a run of its own (two to three minutes); `whole`, in the
 * shorter time that it has as part of the full run; `quick`, once each, to show that everything works.
 */
export type Extent = 'alone' | 'whole' | 'quick';

/** What part of a family is wanted; without a list, all. */
export interface Wanted {
  readonly subjects?: readonly string[] | undefined;
  /** @default workerd */
  readonly hosts?: readonly string[] | undefined;
  /** Of the family *values* only. */
  readonly payloads?: readonly string[] | undefined;
}

/** Hears how far a run has come. */
export interface Progress {
  start(total: number): void;
  /** `done` of the total, while `doing` is under way. */
  update(done: number, doing: string): void;
  stop(): void;
}

/** What a measurement has to know beside its plan. */
export interface Context {
  readonly seed: number;
  readonly progress: Progress;
}

/** A family of scenarios: what it says of itself, and how it is measured. */
export interface Family {
  readonly name: string;
  /** What it measures, in one line of the command's help. */
  readonly about: string;
  readonly subjects: readonly string[];
  readonly hosts: readonly Place[];
  /** What is measured and how, a line each. */
  readonly configuration: readonly string[];
  /** What is measured to that extent. Throws where a wanted subject or host is not among its own. */
  plan(extent: Extent, wanted: Wanted): Plan;
}

/** Launches of a family: in which places, how many, in what time, and what each of them does. */
export interface Plan {
  readonly places: readonly PlacePlan[];
  /** No launch beyond the least is begun that would probably end later than this after the start. @default none */
  readonly budgetMs?: number;
  /** No launch at all is begun that would probably end later than this after the start. @default none */
  readonly latestMs?: number;
  /** The scenarios in the order of tables, with what is said of their blocks. */
  readonly scenarios: readonly ScenarioShape[];
  /** Which arms are compared. @default none */
  readonly compared?: Compared;
  /** Makes in `directory` what all launches share, such as bundles, and returns what one launch does. */
  open(directory: string): Promise<(launch: Launch) => Promise<Report>>;
  /** Makes more rows of what was found in one place. */
  more?(found: PlaceFindings): readonly Row[];
}

/** How many launches there are in a place. */
export interface PlacePlan {
  readonly host: Place;
  readonly launches: number;
  /** How many of them have the grace of `latestMs`; three are needed for a verdict. @default all */
  readonly atLeast?: number;
  /** Steps of one launch, for the progress. @default 1 */
  readonly steps?: number;
}

/** What is said of the blocks of a scenario. */
export interface ScenarioShape {
  readonly name: string;
  /** @default call */
  readonly sample?: Sample;
  /** Operations in one block. @default 1 */
  readonly operations?: number;
}

/** What was found in one place, a report each launch. */
export interface PlaceFindings {
  readonly host: Place;
  readonly reports: readonly Report[];
  readonly rows: readonly Row[];
  readonly comparisons: readonly Comparison<Place>[];
  readonly random: Random;
}

/** One launch, and what it may start: all that it keeps is stopped when it is over, however it ends. */
export interface Launch {
  readonly host: Place;
  /** From 0 on, in its place. */
  readonly number: number;
  /** Another one for each launch, and the same ones when the run is repeated with its seed. */
  readonly seed: number;
  /** Waits for what is started, which is stopped when the launch is over. */
  keep<Started extends { stop(): unknown }>(started: Started | Promise<Started>): Promise<Started>;
  /** Starts a fresh process of a client that `bundleTasks` made, which ends with the launch. */
  client<T extends Tasks<T>>(bundle: string, options?: ProcessOptions): ClientProcess<T>;
  /** Tells that so many of the launch's steps are done. */
  progress(steps: number, doing?: string): void;
}
