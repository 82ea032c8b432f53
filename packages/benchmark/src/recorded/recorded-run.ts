import type { Result } from '../families/results.ts';
import type { Place } from '../hosts/host.ts';
import type { RecordHead } from '../run-record.ts';
import type { Comparison } from '../statistics/comparison.ts';

/** A comparison as a file has it; the oldest do not say with which family it was measured. */
export type RecordedComparison = Comparison<Place> & { readonly family?: string };

/** A run as a file of `measurements/` has it, however old: what all of them have in common. */
export interface RecordedRun extends RecordHead {
  /** Not in the oldest files, whose families are those of their results. */
  readonly families?: readonly { readonly name: string }[];
  readonly results: readonly Result[];
  readonly comparisons: readonly RecordedComparison[];
}

/** Says whether two runs were made on machines of the same kind. */
export function isSameMachine({ environment: a }: RecordHead, { environment: b }: RecordHead): boolean {
  return a.cpu === b.cpu && a.cores === b.cores && a.os === b.os;
}

/** Returns what a comparison is of, by which it is found in another run. */
export function comparisonKey({ host, scenario, subject, baseline }: Comparison<Place>): string {
  return [host, scenario, subject, baseline].join('\n');
}
