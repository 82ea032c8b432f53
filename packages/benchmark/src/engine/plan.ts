import type { Place } from '@lumenize/hosts/host';
import type { Compared, Comparison, TimedBlock } from '../statistics/comparison.ts';
import type { ClientProcess, ProcessOptions, watchHealth } from './client-process.ts';
import type { Row, Sample } from './row.ts';

/**
 * Scope of what is measured of a family: `alone`, in the time of a run of its own (two to three minutes); `whole`, in the
 * shorter time that it has as part of the full run; `quick`, once each, to show that everything works.
 */
export type Extent = 'alone' | 'whole' | 'quick';

/** The part of a family that is wanted; without a list, all. */
export interface Wanted {
  readonly subjects?: readonly string[] | undefined;
  /** @default workerd */
  readonly hosts?: readonly string[] | undefined;
  /** Of the family *values* only. */
  readonly payloads?: readonly string[] | undefined;
  /** Of the family *profile* only. */
  readonly workloads?: readonly string[] | undefined;
  /** True to list each function, in one long launch of that family. @default false */
  readonly functions?: boolean;
}

/** Hears how far a run has come. */
export interface Progress {
  /** Called when `doing` is begun. */
  update(doing: string): void;
  stop(): void;
}

/** The seed of a measurement, and where it shows its progress. */
export interface Context {
  readonly seed: number;
  readonly progress: Progress;
}

/** A family of scenarios: what it says of itself, and how it is measured. */
export interface Family {
  readonly name: string;
  /** The line about it in the command's help. */
  readonly about: string;
  readonly subjects: readonly string[];
  readonly hosts: readonly Place[];
  /** Describes what is measured and how, a line each. */
  readonly configuration: readonly string[];
  /** Plans the launches to that extent, of its subjects and hosts that are wanted. */
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
  /** The arms that are compared. @default none */
  readonly compared?: Compared;
  /** Makes in `directory` what all launches share, such as bundles, and returns what one launch does. */
  open(directory: string): Promise<(launch: Launch) => Promise<Report>>;
  /** Makes more rows of what was found in one place. */
  more?(found: PlaceFindings): readonly Row[];
}

/** Number of launches in a place. */
export interface PlacePlan {
  readonly host: Place;
  readonly launches: number;
  /** Number of them that have the grace of `latestMs`; three are needed for a verdict. @default all */
  readonly atLeast?: number;
}

/** A participant of the comparison. Two arms may have one subject: that is how the method is checked against itself. */
export interface Arm<Subject extends string = string> {
  readonly id: string;
  readonly subject: Subject;
}

/** Plan of a scenario within one launch: how often it is measured, and by whom. */
export interface ScenarioPlan<Subject extends string = string> {
  readonly scenario: string;
  readonly arms: readonly Arm<Subject>[];
  /** In a round every arm has its turn. */
  readonly rounds: number;
  /** Number of the rounds that come in the first slot, which a launch has before anything else. @default 1 */
  readonly leading?: number;
  /** True if a round goes through its arms a second time in reverse order, so that a steady drift cancels. @default true */
  readonly mirrored?: boolean;
  /** Takes part in this many launches, from the first on. @default all */
  readonly launches?: number;
}

/** Describes the blocks of a scenario. */
export interface ScenarioShape {
  readonly name: string;
  /** @default call */
  readonly sample?: Sample;
  /** Operations in one block. @default 1 */
  readonly operations?: number;
}

/** The findings in one place, a report for each launch. */
export interface PlaceFindings {
  readonly host: Place;
  readonly reports: readonly Report[];
  readonly rows: readonly Row[];
  readonly comparisons: readonly Comparison<Place>[];
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
  client<T>(bundle: string, options?: ProcessOptions): ClientProcess<T>;
}

/** The times of one block: one arm's turn in one round of one scenario. */
export interface Block extends TimedBlock {
  /** Of its samples. A block without them is compared only, and makes no row. */
  readonly samplesMs?: readonly number[];
}

/** One arm's part in one scenario. */
interface Part {
  readonly scenario: string;
  readonly arm: string;
}

/** One figure that is no distribution of times: a slope, a share, a rate, a size. */
export interface Figure extends Part {
  readonly unit: string;
  readonly value: number;
  /** More figures of the same measurement by name, with their unit in it. */
  readonly detail?: Readonly<Record<string, number>>;
}

/** Something that an arm cannot do, and the reason. */
export interface Cannot extends Part {
  readonly reason: string;
}

/** Time that an arm took to become steady. */
export interface WarmUp {
  readonly arm: string;
  readonly blocks: number;
  readonly ms: number;
  readonly steady: boolean;
}

/** Frames and bytes of one sample, without the WebSocket's own framing: from the client up and to it down. */
export type WireCost = Part & Readonly<Record<'framesUp' | 'framesDown' | 'bytesUp' | 'bytesDown', number>>;

/** Load and delays of a client process while it measured. */
export type ClientHealth = ReturnType<ReturnType<typeof watchHealth>['end']>;

/** All that one launch of any family found. */
export interface Report {
  readonly blocks?: readonly Block[];
  readonly figures?: readonly Figure[];
  readonly cannot?: readonly Cannot[];
  readonly warmUps?: readonly WarmUp[];
  readonly wire?: readonly WireCost[];
  readonly health?: ClientHealth;
  /** Anything that is neither a time nor a figure: kept in the record as it is, and small. */
  readonly extra?: unknown;
}
