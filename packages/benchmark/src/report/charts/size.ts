import type { FigureResult } from '../../families/figure-result.ts';
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

const AT_ONCE = 'connect and call';
const WHEN_NEEDED = 'when needed: ';

/** What is loaded: by pages at once, on demand and in all, and by Workers. */
export const SIZE_CHART: ReportChart = {
  name: 'size',
  title: 'Size',
  alt: "Sizes of what pages and Workers load, of Lumenize RPC and Cap'n Web, minified and by gzip",
  command: 'npm run measure -- --family size',
  draw(runs, theme) {
    const found = [newestWith(runs, atOnce), newestWith(runs, others)].flatMap((each) => each ?? []);
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

/** What a page loads before it can call: both families that measure it do so in the same way. */
function atOnce(run: RecordedRun): Loaded[] {
  const sizes = sizeResults(run).map(({ subject, gzip }) => ({ subject, gzipBytes: gzip }));
  const figures = sizeFigures(run).filter(({ scenario }) => scenario === AT_ONCE);
  const found = sizes.length > 0 ? sizes : figures.map(({ subject, value }) => ({ subject, gzipBytes: value }));
  return found.map((each) => ({ title: 'a page, to connect and call', ...each }));
}

function others(run: RecordedRun): Loaded[] {
  return sizeFigures(run)
    .filter(({ scenario }) => scenario !== AT_ONCE)
    .map(({ scenario, subject, host, value }) => ({ title: titleOf(scenario, host), subject, gzipBytes: value }));
}

function sizeFigures(run: RecordedRun): FigureResult[] {
  return figureResults(run).filter(({ family, scenario }) => family === 'size' && scenario !== 'package');
}

function titleOf(scenario: string, host: string): string {
  if (scenario.startsWith(WHEN_NEEDED)) return `– and for ${scenario.slice(WHEN_NEEDED.length)}`;
  return `a ${host === 'browser' ? 'page' : 'Worker'}, ${scenario.replace(/^serve/, 'to serve')}`;
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
