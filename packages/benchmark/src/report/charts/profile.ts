import type { FigureResult } from '../../families/figure-result.ts';
import { us } from '../../log/format.ts';
import { subjectName } from '../../log/names.ts';
import { stepName } from '../../profile/results.ts';
import type { Side, Step } from '../../profile/steps.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { newestWith, type ReportChart, takenWhen } from '../chart.ts';
import { figureResults } from '../figures.ts';
import { group, type Row } from '../frame/row.ts';
import { rowsChart } from '../frame/rows.ts';
import { zeroAxis } from '../frame/ticks.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { seriesOf } from '../series.ts';

const COLUMNS = [196, 352, 720] as const;
const SIDES = ['client', 'server'] as const satisfies readonly Side[];

/** What steps are drawn as, in the order of a bar: as many strengths of a colour as can be told apart. */
const PARTS: readonly { readonly name: string; readonly opacity: number; readonly steps: readonly Step[] }[] = [
  { name: 'values', opacity: 1, steps: ['encode', 'decode'] },
  { name: 'frames, socket', opacity: 0.7, steps: ['framing', 'send', 'receive', 'connect'] },
  { name: 'calling', opacity: 0.45, steps: ['call', 'dispatch', 'reply', 'whole'] },
  { name: 'method', opacity: 0.27, steps: ['execute'] },
  { name: 'engine, other', opacity: 0.13, steps: ['garbage', 'native', 'driver', 'other'] },
];

/** What takes so much longer than calls that they would not be seen beside it. */
const LARGE = ['profile/echo-rows-200', 'profile/connect'];

/** Where a call's microseconds go, on both sides. */
export const PROFILE = profileChart({
  name: 'profile',
  title: 'Profile',
  heading: 'Where a call’s microseconds go',
  isWanted: (scenario) => !LARGE.includes(scenario),
});

/** And those of a connection, and of many values. */
export const PROFILE_LARGE = profileChart({
  name: 'profile-large',
  title: 'Profile of what is large',
  heading: 'And those of a connection, and of many values',
  isWanted: (scenario) => LARGE.includes(scenario),
});

interface ProfileChart extends Pick<ReportChart, 'name' | 'title'> {
  readonly heading: string;
  isWanted(scenario: string): boolean;
}

function profileChart({ name, title, heading, isWanted }: ProfileChart): ReportChart {
  return {
    ...{ name, title },
    alt: "Microseconds by step and side, of Lumenize RPC, Cap'n Web and raw JSON",
    command: 'npm run measure -- --family profile',
    draw(runs, theme) {
      const found = newestWith(runs, (run) => profilesOf(run, isWanted));
      if (!found) return undefined;
      const workloads = Map.groupBy(found.data, ({ scenario }) => scenario);
      const rows = [...workloads].flatMap(([scenario, profiles]) =>
        group(scenarioTitle(scenario), profiles.flatMap(rowsOf)),
      );
      const ends = rows.flatMap(({ bars = [] }) => bars.map(({ to }) => to));
      return rowsChart(
        {
          title: heading,
          subtitle: [
            'µs of each call by sampling, on either side; the loop that makes the calls is in the last part.',
            `On workerd and in Node; ${takenWhen(found.run)}.`,
          ],
          rows,
          axis: { ...zeroAxis(ends), type: 'linear', title: 'µs, from zero' },
          columns: COLUMNS,
          key: PARTS.map(({ name: part, opacity }) => [opacity, part]),
        },
        theme,
      );
    },
  };
}

function profilesOf(run: RecordedRun, isWanted: ProfileChart['isWanted']): FigureResult[] {
  return figureResults(run).filter(
    ({ family, scenario }) => family === 'profile' && scenario.startsWith('profile/') && isWanted(scenario),
  );
}

function rowsOf({ subject, detail = {} }: FigureResult): Row[] {
  const series = seriesOf(subject);
  return SIDES.map((side): Row => {
    let at = 0;
    const bars = PARTS.map(({ steps, opacity }) => {
      const from = at;
      for (const step of steps) at += detail[stepName(side, step)] ?? 0;
      return { series, from, to: at, opacity };
    });
    return { name: `${subjectName(subject)}, ${side}`, series, bars, figures: `${us(at)} µs` };
  });
}
