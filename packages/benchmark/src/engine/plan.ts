import type { Place } from '@lumenize/hosts/host';
import type { Compared, Comparison, TimedBlock } from '../statistics/comparison.ts';
import type { ClientProcess, ProcessOptions, watchHealth } from './client-process.ts';
import type { Row, Sample } from './row.ts';

/**
 * How thoroughly a family is measured. `alone`: in a run of its own, which takes two to three minutes. `whole`: in the
 * shorter time it has in the full run. `quick`: everything once, to show that it works.
 */
export type Extent = 'alone' | 'whole' | 'quick';

/** The requested part of a family. Without a list, all of it is measured. */
export interface Wanted {
  readonly subjects?: readonly string[] | undefined;
  /** The hosts. @default workerd */
  readonly hosts?: readonly string[] | undefined;
  /** Only for the family *values*. */
  readonly payloads?: readonly string[] | undefined;
  /** Only for the family *profile*. */
  readonly workloads?: readonly string[] | undefined;
  /** True to list each function, in one long launch of the family *profile*. @default false */
  readonly functions?: boolean;
}

/** Receives the progress of a run. */
export interface Progress {
  /** Called when `doing` begins. */
  update(doing: string): void;
  stop(): void;
}

/** The seed of a measurement, and the receiver of its progress. */
export interface Context {
  readonly seed: number;
  readonly progress: Progress;
}

/** A family of scenarios: its description, and how it is measured. */
export interface Family {
  readonly name: string;
  /** The description in the command's help, on one line. */
  readonly about: string;
  readonly subjects: readonly string[];
  readonly hosts: readonly Place[];
  /** Lines that say how the family measures. */
  readonly configuration: readonly string[];
  /** Plans the launches to this extent, with the requested subjects and hosts. */
  plan(extent: Extent, wanted: Wanted): Plan;
}

/** The launches of a family: their places, their number, their time, and what each of them does. */
export interface Plan {
  readonly places: readonly PlacePlan[];
  /**
   * The time from the start after which no launch beyond the minimum should end. A launch that would probably end later
   * is not begun. @default none
   */
  readonly budgetMs?: number;
  /**
   * The time from the start after which no launch at all should end. A launch that would probably end later is not
   * begun.
   * @default none
   */
  readonly latestMs?: number;
  /** The scenarios in the order of tables, with the descriptions of their blocks. */
  readonly scenarios: readonly ScenarioShape[];
  /** The arms to compare. @default none */
  readonly compared?: Compared;
  /**
   * Creates everything in `directory` that all launches share, such as bundles. Returns the function that runs one
   * launch.
   */
  open(directory: string): Promise<(launch: Launch) => Promise<Report>>;
  /** Returns more rows for the findings in one place. */
  more?(found: PlaceFindings): readonly Row[];
}

/** The number of launches in a place. */
export interface PlacePlan {
  readonly host: Place;
  readonly launches: number;
  /** The number of launches that may use `latestMs`. A verdict needs three. @default all */
  readonly atLeast?: number;
}

/** A participant of the comparison. Two arms may have the same subject, which checks the method against itself. */
export interface Arm<Subject extends string = string> {
  readonly id: string;
  readonly subject: Subject;
}

/** The plan of a scenario within one launch: how often it is measured, and with which arms. */
export interface ScenarioPlan<Subject extends string = string> {
  readonly scenario: string;
  readonly arms: readonly Arm<Subject>[];
  /** The number of rounds. In a round every arm has a turn. */
  readonly rounds: number;
  /** The number of rounds in the first slot, which comes before everything else in a launch. @default 1 */
  readonly leading?: number;
  /** True if a round repeats its arms in reverse order, so that a steady drift cancels out. @default true */
  readonly mirrored?: boolean;
  /** The number of launches it takes part in, counted from the first. @default all */
  readonly launches?: number;
}

/** Describes the blocks of a scenario. */
export interface ScenarioShape {
  readonly name: string;
  /** The unit of work that one sample times. @default call */
  readonly sample?: Sample;
  /** The number of operations in one block. @default 1 */
  readonly operations?: number;
}

/** The findings in one place, with one report for each launch. */
export interface PlaceFindings {
  readonly host: Place;
  readonly reports: readonly Report[];
  readonly rows: readonly Row[];
  readonly comparisons: readonly Comparison<Place>[];
}

/** One launch, and what it may start. Everything that it keeps is stopped when it is over, however it ends. */
export interface Launch {
  readonly host: Place;
  /** The number of the launch in its place, from 0. */
  readonly number: number;
  /** The seed. It differs between launches, and is the same if the run is repeated with its seed. */
  readonly seed: number;
  /** Waits until something has started. It is stopped when the launch is over. */
  keep<Started extends { stop(): unknown }>(started: Started | Promise<Started>): Promise<Started>;
  /** Starts a new process of a client that `bundleTasks` bundled. It ends with the launch. */
  client<T>(bundle: string, options?: ProcessOptions): ClientProcess<T>;
}

/** The times of one block: one arm's turn in one round of one scenario. */
export interface Block extends TimedBlock {
  /** The times of its samples. A block without samples is only compared, and has no row. */
  readonly samplesMs?: readonly number[];
}

/** One arm in one scenario. */
interface Part {
  readonly scenario: string;
  readonly arm: string;
}

/** One figure that is not a distribution of times: a slope, a share, a rate, or a size. */
export interface Figure extends Part {
  readonly unit: string;
  readonly value: number;
  /** More figures of the same measurement by name, which includes the unit. */
  readonly detail?: Readonly<Record<string, number>>;
}

/** Something that an arm cannot do, and the reason. */
export interface Cannot extends Part {
  readonly reason: string;
}

/** How long an arm took to become steady. */
export interface WarmUp {
  readonly arm: string;
  readonly blocks: number;
  readonly ms: number;
  readonly steady: boolean;
}

/** The frames and bytes of one sample from the client (up) and to it (down), without the framing of the WebSocket. */
export type WireCost = Part & Readonly<Record<'framesUp' | 'framesDown' | 'bytesUp' | 'bytesDown', number>>;

/** The load and delays of a client process while it measured. */
export type ClientHealth = ReturnType<ReturnType<typeof watchHealth>['end']>;

/** All findings of one launch of any family. */
export interface Report {
  readonly blocks?: readonly Block[];
  readonly figures?: readonly Figure[];
  readonly cannot?: readonly Cannot[];
  readonly warmUps?: readonly WarmUp[];
  readonly wire?: readonly WireCost[];
  readonly health?: ClientHealth;
  /** Any finding that is neither a time nor a figure. It is recorded as it is, and should be small. */
  readonly extra?: unknown;
}
