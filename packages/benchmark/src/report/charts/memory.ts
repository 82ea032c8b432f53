import type { FigureResult } from '../../families/figure-result.ts';
import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { figureResults } from '../figures.ts';
import { group, type Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { linearAxis } from '../frame/ticks.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { seriesOf } from '../series.ts';

const COLUMNS = [170, 372, 660] as const;
const BYTES_PER_KB = 1000;

/** What one more idle connection takes of the server's memory. */
export const MEMORY: ReportChart = {
  name: 'memory',
  title: 'Memory',
  alt: "Memory of each idle connection to a server, of Lumenize RPC, Cap'n Web and raw sockets",
  command: 'npm run measure -- --family memory',
  draw(runs, theme) {
    const found = newestWith(runs, slopesOf);
    if (!found) return undefined;
    const scenarios = Map.groupBy(found.data, ({ scenario }) => scenario);
    const rows = [...scenarios].flatMap(([scenario, slopes]) => group(scenarioTitle(scenario), slopes.map(rowOf)));
    return rowsChart(
      {
        title: 'Memory of an idle connection',
        subtitle: [
          'Slope of workerd’s resident memory over the number of its idle connections, and the 95 % interval.',
          `To the left is less. Hollow: read once, without an interval; ${takenWhen(found.run)}.`,
        ],
        rows,
        axis: {
          ...linearAxis(found.data.flatMap(({ value, ci95 = [value, value] }) => [value, ...ci95].map(kB))),
          type: 'linear',
          title: 'kB of a connection, from zero',
        },
        columns: COLUMNS,
      },
      theme,
    );
  },
};

function slopesOf(run: RecordedRun): FigureResult[] {
  return figureResults(run).filter(({ family, unit }) => family === 'memory' && unit === 'B/connection');
}

function rowOf({ subject, value, ci95 }: FigureResult): Row {
  const series = seriesOf(subject);
  const at = kB(value);
  const [low, high] = (ci95 ?? [value, value]).map(kB);
  return {
    name: subjectName(subject),
    series,
    bars: [{ series, from: 0, to: at, opacity: 0.4 }],
    dots: [{ series, value: at, low, high, told: ci95 !== undefined }],
    figures: `${at.toFixed(1)} kB${ci95 ? ` (${low.toFixed(1)}–${high.toFixed(1)})` : ''}`,
  };
}

function kB(bytes: number): number {
  return bytes / BYTES_PER_KB;
}
