import type { Place } from '../hosts/host.ts';
import type { BarResult } from '../log/bar-result.ts';
import type { Progress } from '../progress.ts';
import type { Comparison } from '../statistics/comparison.ts';
import type { FamilyLaunch, Result } from './results.ts';

/**
 * How much of a family is measured: `alone`, in the time of a run of its own (two to three minutes); `whole`, in the
 * shorter time that it has as part of the full profile; `quick`, once each, to show that everything works.
 */
export type Extent = 'alone' | 'whole' | 'quick';

/** What a family's measurement has to know. */
export interface FamilyContext {
  readonly extent: Extent;
  readonly seed: number;
  readonly progress: Progress;
  /** The subjects that are wanted. @default all */
  readonly subjects?: readonly string[] | undefined;
  /** The hosts that are wanted. @default workerd */
  readonly hosts?: readonly string[] | undefined;
  /** The payloads that are wanted, of the family *values* only. @default all */
  readonly payloads?: readonly string[] | undefined;
}

/** What the measurement of one family found. */
export interface FamilyFindings {
  readonly results: readonly Result[];
  readonly comparisons: readonly Comparison<Place>[];
  /** How each launch went, for what the log says of variance. */
  readonly launches: readonly FamilyLaunch[];
}

/** What a family has to say in the log. */
export interface FamilyEntry {
  /** What is measured and how, a line each. */
  readonly configuration: readonly string[];
  /** Tables as plain text. */
  readonly results: string;
  /** Tables of ratios, as markdown; empty where a family compares nothing. */
  readonly comparison: string;
  readonly variance: readonly string[];
  /** Sentences that the figures carry: losses like wins. */
  readonly analysis: readonly string[];
  readonly bars: readonly BarResult[];
  /** What a terminal shows in the place of `results` and of the comparisons. */
  readonly terminal?: string;
}

/** A family of scenarios: how it is measured, and how it is told. */
export interface Family<Findings extends FamilyFindings = FamilyFindings> {
  readonly name: string;
  /** What it measures, in one line of the command's help. */
  readonly about: string;
  readonly subjects: readonly string[];
  readonly hosts: readonly string[];
  /** Measures; throws where a wanted subject or host is not among its own, and where an answer is wrong. */
  measure(context: FamilyContext): Promise<Findings>;
  /** Puts what was found, which may come from a file, into words and tables. */
  entry(findings: Findings): FamilyEntry;
}
