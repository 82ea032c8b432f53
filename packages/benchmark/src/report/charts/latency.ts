import type { TimeResult } from '../../blocks/record.ts';
import { subjectName } from '../../log/names.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { timeResults } from '../../run-record.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import type { Panel, PanelAxis } from '../frame/panel.ts';
import { panelsChart } from '../frame/panels.ts';
import { logDomain, logTicks } from '../frame/ticks.ts';
import { nines, percentileCurve } from '../percentiles.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { isPlain, seriesOf } from '../series.ts';

const SUBJECTS = ['lumenize', 'capnweb', 'raw'];
const PLAIN = ['capnweb-plain', 'raw-plain'];
const SCENARIOS = [
  'getValue/sequential',
  'increment/sequential',
  'latency/ping',
  'latency/create-session',
  'latency/connect-authenticate-first-result',
  'connect/first-result',
];
const SHOWN = [50, 90, 99, 99.9];
const HEIGHT = 170;

const LABELS = Object.fromEntries(SHOWN.map((each) => [nines(each).toFixed(4), `${each} %`]));

/** How the times of single calls and connections are distributed. */
export const LATENCY: ReportChart = {
  name: 'latency',
  title: 'Latency',
  alt: "Percentiles of the times of calls and connections, of Lumenize RPC, Cap'n Web and raw JSON",
  command: 'npm run measure -- --family latency',
  draw(runs, theme) {
    const found = SCENARIOS.flatMap((scenario) => newestWith(runs, (run) => resultsOf(run, scenario)) ?? []);
    if (found.length === 0) return undefined;
    const from = [...new Set(found.map(({ run }) => takenWhen(run)))];
    return panelsChart(
      {
        title: 'How long calls take: percentiles',
        subtitle: [
          'On workerd, over sockets that hibernate where they can; down is faster. Each further nine has as much room.',
          `Thin: uncompressed. ${from.join('; ')}.`,
        ],
        panels: found.map(({ data }) => panelOf(data)),
        key: SUBJECTS.map((subject) => [seriesOf(subject), subjectName(subject)]),
        height: HEIGHT,
      },
      theme,
    );
  },
};

function resultsOf(run: RecordedRun, wanted: string): TimeResult[] {
  const here = timeResults(run).filter(({ scenario, host }) => scenario === wanted && host === 'workerd');
  const found = [...SUBJECTS, ...PLAIN].flatMap(
    (name) => here.find((each) => each.subject === name && hasCurve(each)) ?? [],
  );
  return found.some(({ subject }) => subject === 'lumenize') ? found : [];
}

/** Whether there are samples, and enough of them for a line. */
function hasCurve(result: TimeResult): boolean {
  return result.samples !== '' && percentileCurve(result).length > 1;
}

function panelOf(results: readonly TimeResult[]): Panel {
  const lines = results.map((result) => ({
    ...{ series: seriesOf(result.subject), thin: isPlain(result.subject) },
    points: percentileCurve(result),
  }));
  const all = lines.flatMap(({ points }) => points);
  const domain = logDomain(all.map(([, ms]) => ms));
  const last = Math.max(...all.map(([at]) => at));
  const x: PanelAxis = {
    type: 'linear',
    domain: [0, last],
    ticks: SHOWN.map((each) => Number(nines(each).toFixed(4))).filter((at) => at <= last),
    labelExpr: `${JSON.stringify(LABELS)}[format(datum.value, '.4f')]`,
    title: 'share of samples that took no longer',
  };
  return {
    title: scenarioTitle(results[0].scenario),
    ...{ lines, x },
    y: { type: 'log', domain, ticks: logTicks(domain, HEIGHT), title: 'ms, logarithmic' },
  };
}
