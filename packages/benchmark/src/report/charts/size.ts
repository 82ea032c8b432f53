import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { sizeResults } from '../../run-record.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { figureResults } from '../figures.ts';
import { group, type Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { zeroAxis } from '../frame/ticks.ts';
import { seriesOf } from '../series.ts';

const COLUMNS = [236, 336, 730] as const;
const BYTES_PER_KB = 1000;

/** Something that is loaded, and its size by gzip. */
interface Loaded {
  readonly title: string;
  readonly subject: string;
  readonly gzipBytes: number;
}

/** What is loaded: by pages at once, on demand and in all, and by Workers. */
export const SIZE_CHART: ReportChart = {
  name: 'size',
  title: 'Size',
  alt: "Sizes of what pages and Workers load, of Lumenize RPC and Cap'n Web, minified and by gzip",
  command: 'npm run measure -- --family size',
  draw(runs, theme) {
    const found = [newestWith(runs, clientsOf), newestWith(runs, bundlesOf)].flatMap((each) => each ?? []);
    const loaded = found.flatMap(({ data }) => data);
    if (loaded.length === 0) return undefined;
    const rows = [...Map.groupBy(loaded, ({ title }) => title)].flatMap(([title, own]) =>
      group(title, own.toSorted(byWhose).map(rowOf)),
    );
    const from = [...new Set(found.map(({ run }) => takenWhen(run)))].join('; ');
    return rowsChart(
      {
        title: 'What is loaded',
        subtitle: ['Bundles by esbuild, minified and by gzip; to the left is less.', `${from}.`],
        rows,
        axis: { ...zeroAxis(loaded.map(({ gzipBytes }) => kB(gzipBytes))), type: 'linear', title: 'kB, from zero' },
        columns: COLUMNS,
      },
      theme,
    );
  },
};

function clientsOf(run: RecordedRun): Loaded[] {
  return sizeResults(run).map(({ subject, gzip }) => {
    return { title: 'to connect, in a page', subject, gzipBytes: gzip };
  });
}

function bundlesOf(run: RecordedRun): Loaded[] {
  return figureResults(run)
    .filter(({ family, scenario }) => family === 'size' && scenario !== 'package')
    .map(({ scenario, subject, host, value }) => {
      return {
        title: `${scenario}, in a ${(host as string) === 'browser' ? 'page' : 'Worker'}`,
        subject,
        gzipBytes: value,
      };
    });
}

/** Ours before those of others. */
function byWhose(a: Loaded, b: Loaded): number {
  return Number(b.subject === 'lumenize') - Number(a.subject === 'lumenize');
}

function rowOf({ subject, gzipBytes }: Loaded): Row {
  const series = seriesOf(subject);
  return {
    name: subjectName(subject),
    series,
    bars: [{ series, from: 0, to: kB(gzipBytes) }],
    figures: `${kB(gzipBytes).toFixed(1)} kB`,
  };
}

function kB(bytes: number): number {
  return bytes / BYTES_PER_KB;
}
