import type { CodecName } from '../codecs/codec.ts';
import type { Place } from '../hosts/host.ts';
import type { Arm, ScenarioPlan } from '../load/plan.ts';
import type { TimedBlock } from '../statistics/pairs.ts';
import type { Operation, Verification } from './bench.ts';

/** Where codecs are measured. */
export type CodecHost = Extract<Place, 'node' | 'workerd'>;

/** A codec's part in the comparison. */
export type CodecArm = Arm<CodecName>;

/** How often a payload is measured within one launch, and with which codecs; `scenario` is the payload's name. */
export type PayloadPlan = ScenarioPlan<CodecName>;

/** How long things take, in ms; with 0 everything is done once. */
export interface Durations {
  /** A sample: operations of codecs that need less are timed many at a time. */
  readonly sampleMs: number;
  /** A block of encoding and decoding, and one of either alone. */
  readonly bothMs: number;
  readonly partMs: number;
  /** The most that one codec with one payload is warmed up. */
  readonly warmUpMs: number;
}

/** All that the process of one launch has to know; it is sent to it as JSON. */
export interface ValuesPlan {
  /** Address of the Worker; without it the process measures what it does itself. */
  readonly url?: string;
  readonly seed: number;
  readonly payloads: readonly PayloadPlan[];
  readonly durations: Durations;
  /** No round of a payload but its first is begun later than this after that. */
  readonly limitMs: number;
  /** Whether to find out the sizes too, which are the same every time. */
  readonly sizes: boolean;
}

/** The times of one arm's turn: of one operation, in ms. */
export interface ValuesBlock extends TimedBlock {
  /** Median of `both`: on a machine that others use too, one pause would be most of the mean of a few ms. */
  readonly totalMs: number;
  /** Samples; of a codec that works in one step, only `both`. */
  readonly samplesMs: Readonly<Partial<Record<Operation, readonly number[]>>>;
}

/** What one codec made of a payload, beside its times. */
export interface Carried extends Verification {
  readonly codec: CodecName;
}

/** All that one launch found out about one payload. */
export interface PayloadReport {
  readonly payload: string;
  readonly carried: readonly Carried[];
  /** The codecs that were still getting faster when their time to warm up was over. */
  readonly unsteady: readonly CodecName[];
  /** Operations that were timed as one sample. */
  readonly counts: Readonly<Partial<Record<CodecName, number>>>;
  readonly blocks: readonly ValuesBlock[];
}

/** All that one launch found out, in the order in which it did. */
export interface ValuesReport {
  readonly payloads: readonly PayloadReport[];
}
