import type { FigureResult } from '../families/figure-result.ts';
import { HIBERNATING, type MemoryFindings, RATIO } from './findings.ts';

const SMALLEST_EFFECT = 0.03;

/** Returns the rows that have a figure. */
export function figures(found: MemoryFindings): FigureResult[] {
  return found.results.filter((result): result is FigureResult => 'value' in result);
}

/** Returns the row of a ratio of connections, hibernating ones unless `state` says otherwise. */
export function ratioTo(
  found: MemoryFindings,
  subject: string,
  baseline: string,
  state = HIBERNATING,
): FigureResult | undefined {
  return figures(found).find((each) => each.subject === subject && each.scenario === `${state}, ${RATIO} ${baseline}`);
}

/** Tells whether a ratio is not 1: its interval excludes that, and the effect is more than 3 %. */
export function differs({ value, ci95 }: FigureResult): boolean {
  return ci95 !== undefined && (ci95[0] > 1 || ci95[1] < 1) && Math.abs(value - 1) > SMALLEST_EFFECT;
}
