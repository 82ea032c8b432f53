import type { TopLevelSpec } from 'vega-lite';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import type { ReportChart } from '../chart.ts';
import { headOf, MARGIN } from '../frame/head.ts';
import { isTold, scenarioRatios } from '../ratio-picks.ts';
import { isShort, scenarioTitle } from '../scenario-names.ts';
import { AXIS, DRAWN, historyStrip, type Point, SEPARATOR } from './history-strip.ts';

const WORDS = {
  title: 'The same ratios over commits',
  subtitle: [
    'Time of the other over time of Lumenize RPC, with the 95 % interval, on workerd; each axis is logarithmic.',
    'Hollow: no verdict. Above the dashed line at 1, Lumenize RPC is faster.',
  ],
};

/** How the short profile's ratios went over commits: a strip for each scenario, all with the same runs. */
export const HISTORY: ReportChart = {
  name: 'history',
  title: 'History',
  alt: 'The same ratios over commits',
  command: 'npm test -- performance',
  draw(runs, theme) {
    const drawn = runs.filter((run) => scenarioRatios(run, isShort).length > 0);
    if (drawn.length === 0) return undefined;
    const points = drawn.flatMap(pointsOf);
    const scenarios = scenarioRatios(drawn[drawn.length - 1], isShort).map(({ scenario }) => scenario);
    const strips = scenarios.map((scenario, i) =>
      historyStrip(
        points.filter((point) => point.scenario === scenario),
        { title: scenarioTitle(scenario), runs: drawn.map(runKey), first: i === 0, last: i === scenarios.length - 1 },
        theme,
      ),
    );
    return {
      ...{ title: headOf(WORDS, false, -AXIS).title, spacing: 34, bounds: 'flush' },
      padding: { left: MARGIN, right: MARGIN, top: MARGIN, bottom: MARGIN },
      vconcat: strips,
    } as TopLevelSpec;
  },
};

function pointsOf(run: RecordedRun): Point[] {
  return scenarioRatios(run, isShort).flatMap(({ scenario, comparisons }) =>
    comparisons.flatMap((comparison): Point[] => {
      const { ratio, ci95 } = comparison;
      const baseline = DRAWN.find((each) => each === comparison.baseline);
      if (!baseline) return [];
      return [{ run: runKey(run), scenario, baseline, ratio, low: ci95[0], high: ci95[1], told: isTold(comparison) }];
    }),
  );
}

function runKey({ takenAt, commit, dirty }: RecordedRun): string {
  const label = `${commit}${dirty ? '+dirty' : ''}`;
  return [label, takenAt.slice(0, 10), takenAt.slice(11, 16)].join(SEPARATOR);
}
