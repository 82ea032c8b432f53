import { interval, ratio } from '../log/format.ts';
import type { RecordedComparison } from '../recorded/recorded-run.ts';
import type { Dot, Row } from './frame/row.ts';
import type { RowAxis } from './frame/rows.ts';
import { logDomain, logTicks } from './frame/ticks.ts';
import { isTold } from './ratio-picks.ts';
import { rowName, seriesOf } from './series.ts';

/** What an axis of ratios measures. */
export const RATIO_AXIS = 'times as fast, logarithmic';

/** Returns the row of a ratio to its baseline. */
export function ratioRow(comparison: RecordedComparison): Row {
  const { baseline, ratio: value, ci95 } = comparison;
  return {
    name: rowName(baseline),
    series: seriesOf(baseline),
    dots: [ratioDot(comparison)],
    figures: `${ratio(value)} (${interval(ci95)})`,
  };
}

/** Returns the dot of a ratio, hollow where it carries no verdict. */
export function ratioDot(comparison: RecordedComparison): Dot {
  const { baseline, ratio: value, ci95 } = comparison;
  return { series: seriesOf(baseline), value, low: ci95[0], high: ci95[1], told: isTold(comparison) };
}

/** Returns the axis of rows of ratios, so many px long. */
export function ratioAxis(rows: readonly Row[], length: number): RowAxis {
  const ends = rows.flatMap(({ dots = [] }) => dots.flatMap(({ value, low = value, high = value }) => [low, high]));
  const domain = logDomain([0.85, 1.2, ...ends]);
  return { type: 'log', domain, ticks: logTicks(domain, length), title: RATIO_AXIS, reference: 1 };
}
