import type { FigureResult } from '../../families/figure-result.ts';
import { subjectName } from '../../log/names.ts';
import { BASES_MS, linkName } from '../../profile/latency-model.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { figureResults } from '../figures.ts';
import type { Line, Panel } from '../frame/panel.ts';
import { panelsChart } from '../frame/panels.ts';
import { logDomain, logTicks } from '../frame/ticks.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { seriesOf } from '../series.ts';

const SUBJECTS = ['lumenize', 'capnweb'];
/** Of those that are modelled: more lines than two of each subject could not be told apart. */
const SLOW_MBIT = 1;
const QUICK_MBIT = 100;
const HEIGHT = 150;

/** What calls would take over links of these bandwidths, by base latency: modelled, not measured. */
export const MODELLED: ReportChart = {
  name: 'modelled',
  title: 'Modelled links',
  alt: "Modelled times by base latency over two bandwidths, of Lumenize RPC and Cap'n Web",
  command: 'npm run measure -- --family profile',
  draw(runs, theme) {
    const found = newestWith(runs, modelledOf);
    if (!found) return undefined;
    const operations = [...Map.groupBy(found.data, ({ scenario }) => scenario).values()];
    return panelsChart(
      {
        title: 'What links would make of calls: modelled, not measured',
        subtitle: [
          'Round trips × base latency + bytes ÷ bandwidth + the time on this machine; trips and bytes are counted.',
          `Thick: ${SLOW_MBIT} Mbit/s. Thin: ${QUICK_MBIT} Mbit/s. No loss, no slow start; ${takenWhen(found.run)}.`,
        ],
        panels: operations.map(panelOf),
        key: SUBJECTS.map((subject) => [seriesOf(subject), subjectName(subject)]),
        height: HEIGHT,
      },
      theme,
    );
  },
};

function modelledOf(run: RecordedRun): FigureResult[] {
  return figureResults(run).filter(
    ({ scenario, subject }) => scenario.startsWith('modelled/') && SUBJECTS.includes(subject),
  );
}

function panelOf(results: readonly FigureResult[]): Panel {
  const lines = results.flatMap(({ subject, detail = {} }) =>
    [SLOW_MBIT, QUICK_MBIT].map((mbitPerSecond): Line => {
      const points = BASES_MS.map((baseMs) => [baseMs, detail[linkName({ baseMs, mbitPerSecond })]] as const);
      return { series: seriesOf(subject), thin: mbitPerSecond === QUICK_MBIT, points };
    }),
  );
  const times = logDomain(lines.flatMap(({ points }) => points.map(([, ms]) => ms)));
  return {
    title: scenarioTitle(results[0].scenario.replace('modelled/', 'profile/')),
    lines,
    x: { type: 'log', domain: logDomain(BASES_MS), ticks: BASES_MS, title: 'base round trip in ms, logarithmic' },
    y: { type: 'log', domain: times, ticks: logTicks(times, HEIGHT), title: 'ms, logarithmic' },
  };
}
