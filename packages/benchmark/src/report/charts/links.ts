import type { TimeResult } from '../../blocks/record.ts';
import { describeLink, LINKS, type LinkName } from '../../links/link.ts';
import { ms } from '../../log/format.ts';
import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { timeResults } from '../../run-record.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import type { Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { logDomain, logTicks } from '../frame/ticks.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { seriesOf } from '../series.ts';

const SUBJECTS = ['lumenize', 'capnweb', 'raw'];
/** Where a turn is one frame by hand. */
const FLOOR = 'raw-one-frame';
const COLUMNS = [206, 206, 588] as const;
const GAP = 12;
const STEP = 5;

/** What calls, turns and connections take over emulated links. */
export const LINKS_CHART: ReportChart = {
  name: 'links',
  title: 'Links',
  alt: "Median times over emulated links, of Lumenize RPC, Cap'n Web and raw JSON",
  command: 'npm run measure -- --family links',
  draw(runs, theme) {
    const found = newestWith(runs, resultsOf);
    if (!found) return undefined;
    const links = Object.entries(LINKS).map(([name, link]) => ({
      title: `${name}: ${describeLink(link)}`,
      results: found.data.filter(({ host }) => host === (`workerd-${name as LinkName}` as const)),
    }));
    const rows = links.flatMap(({ title, results }) => (results.length > 0 ? rowsOf(title, results) : []));
    const domain = logDomain(found.data.map(({ p50 }) => p50));
    return rowsChart(
      {
        title: 'The same calls over emulated links',
        subtitle: [
          'Median ms of a call, a turn or a connection; to the left is faster. At the right, in the order of the names.',
          `The links are emulated by a proxy before workerd; ${takenWhen(found.run)}.`,
        ],
        rows,
        axis: { type: 'log', domain, ticks: logTicks(domain, COLUMNS[2] - COLUMNS[1]), title: 'ms, logarithmic' },
        columns: COLUMNS,
        key: [...SUBJECTS, FLOOR].map((subject) => [seriesOf(subject), subjectName(subject)]),
      },
      theme,
    );
  },
};

function resultsOf(run: RecordedRun): TimeResult[] {
  return timeResults(run).filter(({ family, subject }) => family === 'links' && [...SUBJECTS, FLOOR].includes(subject));
}

function rowsOf(heading: string, results: readonly TimeResult[]): Row[] {
  const scenarios = Map.groupBy(results, ({ scenario }) => scenario);
  return [
    { heading, gap: GAP },
    ...[...scenarios].map(([scenario, own]): Row => {
      const floor = own.find(({ subject }) => subject === FLOOR);
      const ordered = [
        ...SUBJECTS.map((name) => own.find(({ subject }) => subject === name)),
        ...(floor ? [floor] : []),
      ];
      return {
        title: scenarioTitle(scenario),
        dots: ordered.flatMap((each, i) => {
          // Those of a row are often the same: each is a little below the one before.
          return each ? [{ series: seriesOf(each.subject), value: each.p50, dy: Math.min(i - 1, 1) * STEP }] : [];
        }),
        figures: ordered.map((each) => (each ? ms(each.p50) : '–')).join(' / '),
      };
    }),
  ];
}
