import type { FigureResult } from '../../families/figure-result.ts';
import { ms } from '../../log/format.ts';
import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { figureResults } from '../figures.ts';
import { group, type Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { logDomain, logTicks } from '../frame/ticks.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { seriesOf } from '../series.ts';

const COLUMNS = [196, 398, 650] as const;
const SUBJECTS = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];

/** How long what comes before a call takes: importing, starting, waking, and coming back. */
export const START_CHART: ReportChart = {
  name: 'start',
  title: 'Start',
  alt: "Times of importing, of starting, of waking and of coming back, of Lumenize RPC, Cap'n Web and raw JSON",
  command: 'npm run measure -- --family start',
  draw(runs, theme) {
    const found = newestWith(runs, timesOf);
    if (!found) return undefined;
    const scenarios = Map.groupBy(found.data, ({ scenario }) => scenario);
    const rows = [...scenarios].flatMap(([scenario, own]) =>
      group(scenarioTitle(scenario), own.toSorted(bySubject).map(rowOf)),
    );
    const domain = logDomain(
      found.data.flatMap(({ value, ci95 = [value, value] }) => [value, ...ci95.filter(isPositive)]),
    );
    return rowsChart(
      {
        title: 'Before the first call, and after the last',
        subtitle: [
          'Mean over launches and its 95 % interval; to the left is faster. Hollow: read once, without an interval.',
          `Imports are in Node, all else on workerd; ${takenWhen(found.run)}.`,
        ],
        rows,
        axis: { type: 'log', domain, ticks: logTicks(domain, COLUMNS[2] - COLUMNS[1]), title: 'ms, logarithmic' },
        columns: COLUMNS,
      },
      theme,
    );
  },
};

function timesOf(run: RecordedRun): FigureResult[] {
  return figureResults(run).filter(
    ({ family, unit, value }) => family === 'start' && unit === 'ms' && isPositive(value),
  );
}

function isPositive(value: number): boolean {
  return value > 0;
}

function bySubject(a: FigureResult, b: FigureResult): number {
  return SUBJECTS.indexOf(a.subject) - SUBJECTS.indexOf(b.subject);
}

function rowOf({ subject, value, ci95 }: FigureResult): Row {
  const series = seriesOf(subject);
  // An interval that goes below zero has no end on a logarithmic axis.
  const [low, high] = ci95 ? [ci95[0] > 0 ? ci95[0] : value, ci95[1]] : [value, value];
  return {
    name: subjectName(subject),
    series,
    dots: [{ series, value, low, high, told: ci95 !== undefined }],
    figures: `${ms(value)} ms${ci95 ? ` (${ms(ci95[0])}–${ms(ci95[1])})` : ''}`,
  };
}
