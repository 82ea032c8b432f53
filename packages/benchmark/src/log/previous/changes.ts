import type { Place } from '../../hosts/host.ts';
import { comparisonKey, type RecordedComparison, type RecordedRun } from '../../recorded/recorded-run.ts';
import type { Interval } from '../../statistics/bootstrap.ts';
import { type Comparison, isControl } from '../../statistics/comparison.ts';
import { quotient } from '../../statistics/quotient.ts';
import { type Verdict, verdictOf } from '../../statistics/verdict.ts';

/** How a comparison went from an earlier run to this one. `ratio` is that of now over that of then. */
export interface Change extends Interval {
  readonly now: Comparison<Place>;
  readonly then: Comparison<Place>;
  /** The run that `then` is from. */
  readonly run: RecordedRun;
  /** "faster" and "slower" than then. */
  readonly verdict: Verdict;
}

/**
 * Returns how each comparison of a run went since the newest of these earlier ones, oldest first, that has it. What none
 * has is left out, and so are the A/A arms.
 */
export function changesSince(run: RecordedRun, earlier: readonly RecordedRun[]): Change[] {
  const newest = new Map<string, { then: RecordedComparison; run: RecordedRun }>();
  for (const each of earlier) {
    for (const then of each.comparisons) newest.set(comparisonKey(then), { then, run: each });
  }
  return run.comparisons.flatMap((now): Change[] => {
    const found = isControl(now) ? undefined : newest.get(comparisonKey(now));
    return found ? [changeOf(run, now, found.run, found.then)] : [];
  });
}

function changeOf(run: RecordedRun, now: RecordedComparison, earlier: RecordedRun, then: RecordedComparison): Change {
  const interval = quotient(now, then);
  const verdict = holds(run, now) && holds(earlier, then) ? verdictOf(interval) : 'no conclusion';
  return { now, then, run: earlier, ...interval, verdict };
}

/** Whether a run may conclude anything from a comparison: it has launches enough, and an A/A arm that shows nothing. */
function holds({ comparisons }: RecordedRun, { host, scenario, verdict }: RecordedComparison): boolean {
  if (verdict === 'no conclusion') return false;
  const controls = comparisons.filter((each) => isControl(each) && each.host === host && each.scenario === scenario);
  return controls.length > 0 && controls.every((control) => control.verdict === 'no difference shown');
}
