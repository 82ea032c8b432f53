import type { FigureResult } from '../../families/figure-result.ts';
import { costScenario } from '../../features/costs.ts';
import { signed } from '../../features/tables.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { figureResults } from '../figures.ts';
import { group, type Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { linearAxis } from '../frame/ticks.ts';

const COLUMNS = [206, 330, 636] as const;
const TITLES: Readonly<Record<string, string>> = {
  'feature-cost/one-at-a-time': 'one call at a time',
  'feature-cost/one-turn-100': '100 calls in one turn',
};

/** What each feature adds to a call. */
export const FEATURES_CHART: ReportChart = {
  name: 'features',
  title: 'Features',
  alt: 'Microseconds that authentication, validation, rate limits and exactly-once add to a call',
  command: 'npm run measure -- --family feature-cost',
  draw(runs, theme) {
    const found = newestWith(runs, costsOf);
    if (!found) return undefined;
    const scenarios = Map.groupBy(found.data, ({ scenario }) => scenario);
    const rows = [...scenarios].flatMap(([scenario, costs]) => group(titleOf(scenario), costs.map(rowOf)));
    const ends = found.data.flatMap(({ value, ci95 = [value, value] }) => ci95);
    return rowsChart(
      {
        title: 'What each feature adds to a call',
        subtitle: [
          'µs more than the same call without any, and the 95 % interval; an SQLite-backed increment.',
          `On workerd, over sockets that hibernate; ${takenWhen(found.run)}.`,
        ],
        rows,
        axis: { ...linearAxis(ends), type: 'linear', title: 'µs added to a call', reference: 0 },
        columns: COLUMNS,
      },
      theme,
    );
  },
};

function costsOf(run: RecordedRun): FigureResult[] {
  const added = costScenario('');
  return figureResults(run).filter(
    ({ family, scenario, host }) => family === 'feature-cost' && scenario.endsWith(added) && host === 'workerd',
  );
}

function titleOf(scenario: string): string {
  const measured = scenario.slice(0, -costScenario('').length);
  return TITLES[measured] ?? measured;
}

function rowOf({ subject, value, ci95 = [value, value] }: FigureResult): Row {
  return {
    name: subject,
    series: 'lumenize',
    dots: [{ series: 'lumenize', value, low: ci95[0], high: ci95[1] }],
    figures: `${signed(value)} µs (${signed(ci95[0])} to ${signed(ci95[1])})`,
  };
}
