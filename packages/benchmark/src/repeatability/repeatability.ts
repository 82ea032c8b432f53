import { comparisonKey, isSameMachine, type RecordedComparison, type RecordedRun } from '../recorded/recorded-run.ts';
import { isControl } from '../statistics/comparison.ts';
import { SMALLEST_EFFECT } from '../statistics/verdict.ts';

/** By this share the first run's intervals are widened: the effect that verdicts need. */
export const MARGIN = SMALLEST_EFFECT;
/** So many of the second run's ratios have to be inside the first's intervals, as a share. */
export const SHARE_INSIDE = 0.9;

/** The same comparison in two runs. */
export interface Repeated {
  readonly first: RecordedComparison;
  readonly second: RecordedComparison;
}

/** What two runs of the same commit say of one another. */
export interface Repeatability {
  /** The comparisons that both have, the A/A arms aside. */
  readonly compared: number;
  /** Those that only one of them has. */
  readonly single: number;
  /** Those that are "faster" in one run and "slower" in the other. */
  readonly opposite: readonly Repeated[];
  /** Those whose second ratio is not inside the first's interval, widened by the margin. */
  readonly outside: readonly Repeated[];
  /** The share of the others. */
  readonly inside: number;
  /** Whether none is opposite, and enough are inside. */
  readonly repeats: boolean;
}

/**
 * Compares two runs of the same commit on the same machine. Throws where they are not, where a tree differed from its
 * commit, and where they have no comparison in common.
 */
export function repeatability(first: RecordedRun, second: RecordedRun): Repeatability {
  if (first.commit !== second.commit) throw new Error(`the runs are of ${first.commit} and of ${second.commit}`);
  if (first.dirty || second.dirty) throw new Error('a run is of a tree that differed from its commit');
  if (!isSameMachine(first, second)) throw new Error('the runs were made on different machines');
  const [firsts, seconds] = [first, second].map(comparisonsOf);
  const pairs = [...firsts].flatMap(([key, each]): Repeated[] => {
    const again = seconds.get(key);
    return again ? [{ first: each, second: again }] : [];
  });
  if (pairs.length === 0) throw new Error('the runs have no comparison in common');
  const opposite = pairs.filter(isOpposite);
  const outside = pairs.filter(isOutside);
  const inside = 1 - outside.length / pairs.length;
  return {
    compared: pairs.length,
    single: firsts.size + seconds.size - 2 * pairs.length,
    ...{ opposite, outside, inside },
    repeats: opposite.length === 0 && inside >= SHARE_INSIDE,
  };
}

function comparisonsOf({ comparisons }: RecordedRun): Map<string, RecordedComparison> {
  return new Map(comparisons.filter((each) => !isControl(each)).map((each) => [comparisonKey(each), each]));
}

function isOpposite({ first, second }: Repeated): boolean {
  const verdicts = [first.verdict, second.verdict];
  return verdicts.includes('faster') && verdicts.includes('slower');
}

function isOutside({ first: { ci95 }, second: { ratio } }: Repeated): boolean {
  return ratio < ci95[0] / (1 + MARGIN) || ratio > ci95[1] * (1 + MARGIN);
}
