import type { FigureResult } from '../families/figure-result.ts';
import type { RecordedRun } from '../recorded/recorded-run.ts';

/** Returns the results of a run that are single figures and no times. */
export function figureResults({ results }: RecordedRun): FigureResult[] {
  return results.filter((result): result is FigureResult => 'value' in result);
}
