import { interval, ratio } from '../log/format.ts';
import { subjectName } from '../log/names.ts';
import type { RunRecord } from '../run-record.ts';
import { isTold, scenarioRatios } from './ratios.ts';
import { scenarioTitle } from './scenario-names.ts';

const ROW = 20;
const GAP = 12;

/** One line of the chart of ratios. */
export interface RatioRow {
  /** Distance of its middle from the top, in px. */
  readonly y: number;
  /** What the scenario is called, in the first row of it only. */
  readonly title: string;
  readonly baseline: string;
  readonly name: string;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly told: boolean;
  readonly figures: string;
}

/** Lays out a run's ratios, one row a baseline, those of a scenario together; returns the height of all of it too. */
export function ratioRows(run: RunRecord): { rows: RatioRow[]; height: number } {
  let top = 0;
  const rows = scenarioRatios(run).flatMap(({ scenario, comparisons }) => {
    const group = comparisons.map((comparison, i): RatioRow => {
      const { baseline, ratio: value, ci95 } = comparison;
      return {
        y: top + ROW * (i + 0.5),
        title: i === 0 ? scenarioTitle(scenario) : '',
        baseline,
        name: subjectName(baseline),
        ratio: value,
        ...{ low: ci95[0], high: ci95[1], told: isTold(comparison) },
        figures: `${ratio(value)} (${interval(ci95)})`,
      };
    });
    top += ROW * comparisons.length + GAP;
    return group;
  });
  return { rows, height: Math.max(0, top - GAP) };
}
