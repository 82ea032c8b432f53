import { interval, ratio } from '../../log/format.ts';
import type { RecordedComparison, RecordedRun } from '../../recorded/recorded-run.ts';
import { isControl } from '../../statistics/comparison.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import type { Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { ratioAxis, ratioDot } from '../ratio-row.ts';
import { seriesOf } from '../series.ts';

const COLUMNS = [150, 150, 600] as const;
/** Written in C++ and only there at home, no codecs, or our own. */
const NOT_DRAWN = new Set(['structuredClone', 'v8', 'copy', 'lumenize', 'lumenize-text']);

/** How the codec compares with those in JavaScript and with JSON, payload by payload. */
export const VALUES: ReportChart = {
  name: 'values',
  title: 'Values',
  alt: 'Ratios of the times of other codecs to those of ours, for every payload',
  command: 'npm run measure -- --family values',
  draw(runs, theme) {
    const found = newestWith(runs, drawnOf);
    if (!found) return undefined;
    const payloads = Map.groupBy(found.data, ({ scenario }) => scenario);
    const rows = [...payloads].map(([payload, comparisons]) => rowOf(payload, comparisons));
    return rowsChart(
      {
        title: 'Encoding and decoding, against every other codec in JavaScript',
        subtitle: [
          'Time of the other over time of ours; to the right of 1, ours is faster. At the right, the quickest other.',
          `Hollow: no verdict. ${found.data[0].host === 'node' ? 'In Node' : 'In workerd'}, without native codecs; ${takenWhen(found.run)}.`,
        ],
        rows,
        axis: ratioAxis(rows, COLUMNS[2] - COLUMNS[1]),
        columns: COLUMNS,
        key: [
          ['capnweb', "Cap'n Web"],
          ['raw', 'JSON'],
          ['other', 'devalue, superjson, seroval, cbor-x, msgpackr'],
        ],
      },
      theme,
    );
  },
};

/** The comparisons in one place: in workerd, where there are some. */
function drawnOf(run: RecordedRun): RecordedComparison[] {
  const all = run.comparisons.filter(
    (each) => isOfValues(run, each) && each.subject === 'lumenize' && !isControl(each) && !NOT_DRAWN.has(each.baseline),
  );
  const inWorkerd = all.filter(({ host }) => host === 'workerd');
  return inWorkerd.length > 0 ? inWorkerd : all.filter(({ host }) => host === 'node');
}

/** The oldest files have one family, and do not say so of each comparison. */
function isOfValues({ profile }: RecordedRun, { family = profile }: RecordedComparison): boolean {
  return family === 'values';
}

function rowOf(payload: string, comparisons: readonly RecordedComparison[]): Row {
  const closest = comparisons.toSorted((a, b) => a.ratio - b.ratio)[0];
  // The intervals of a dozen dots in a line would hide one another.
  const dots = comparisons.map((each) => {
    const { series, value, told } = ratioDot(each);
    return { series, value, ...(told !== undefined && { told }) };
  });
  return {
    title: payload,
    dots,
    series: seriesOf(closest.baseline),
    figures: `${closest.baseline} ${ratio(closest.ratio)} (${interval(closest.ci95)})`,
  };
}
