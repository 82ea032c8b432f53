import type { RecordedComparison, RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { group } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { ratioAxis, ratioRow } from '../ratio-row.ts';

/** The ratios of one scenario. */
export interface RatioGroup {
  readonly title: string;
  readonly comparisons: readonly RecordedComparison[];
}

/** A chart of ratios: what is drawn, and its words. */
export interface RatioChart extends Omit<ReportChart, 'draw'> {
  readonly heading: string;
  readonly subtitle: string;
  /** Begins the sentence that ends with the run. */
  readonly where: string;
  readonly columns: readonly [number, number, number];
  pick(run: RecordedRun): readonly RatioGroup[];
}

/** Describes a chart of ratios: a row for each, those of a scenario together. */
export function ratioChart({ heading, subtitle, where, columns, pick, ...chart }: RatioChart): ReportChart {
  return {
    ...chart,
    draw(runs, theme) {
      const found = newestWith(runs, pick);
      if (!found) return undefined;
      const rows = found.data.flatMap(({ title, comparisons }) => group(title, comparisons.map(ratioRow)));
      return rowsChart(
        {
          title: heading,
          subtitle: [subtitle, `Hollow: no verdict. ${where}; ${takenWhen(found.run)}.`],
          rows,
          axis: ratioAxis(rows, columns[2] - columns[1]),
          columns,
        },
        theme,
      );
    },
  };
}
