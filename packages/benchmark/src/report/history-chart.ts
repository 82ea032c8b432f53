import type { TopLevelSpec } from 'vega-lite';
import type { RunRecord } from '../run-record.ts';
import { DRAWN, historyStrip, MARGIN, type Point, SEPARATOR } from './history-strip.ts';
import { isTold, scenarioRatios } from './ratios.ts';
import { scenarioTitle } from './scenario-names.ts';
import type { Theme } from './theme.ts';

/** Describes the chart of ratios over commits: a strip for each scenario of the newest run, all with the same commits. */
export function historyChart(runs: readonly RunRecord[], theme: Theme): TopLevelSpec {
  const newest = runs[runs.length - 1];
  const points = runs.flatMap(pointsOf);
  const scenarios = scenarioRatios(newest).map(({ scenario }) => scenario);
  return {
    padding: { left: MARGIN, right: MARGIN, top: MARGIN, bottom: MARGIN },
    spacing: 34,
    bounds: 'flush',
    title: {
      text: 'The same ratios over commits',
      subtitle: [
        'Time of the other over time of Lumenize RPC, with the 95 % interval, on workerd.',
        'Hollow dot: no verdict. Above the dashed line at 1, Lumenize RPC is faster.',
      ],
      subtitlePadding: 6,
      offset: 18,
    },
    vconcat: scenarios.map((scenario, i) =>
      historyStrip(
        points.filter((point) => point.scenario === scenario),
        { title: scenarioTitle(scenario), runs: runs.map(runKey), last: i === scenarios.length - 1, first: i === 0 },
        theme,
      ),
    ),
  } as TopLevelSpec;
}

function pointsOf(run: RunRecord): Point[] {
  return scenarioRatios(run).flatMap(({ scenario, comparisons }) =>
    comparisons
      .filter(({ baseline }) => DRAWN.includes(baseline))
      .map((comparison) => {
        const { baseline, ratio, ci95 } = comparison;
        return { run: runKey(run), scenario, baseline, ratio, low: ci95[0], high: ci95[1], told: isTold(comparison) };
      }),
  );
}

function runKey({ takenAt, commit, dirty }: RunRecord): string {
  const label = `${commit}${dirty ? '+dirty' : ''}`;
  return [label, takenAt.slice(0, 10), takenAt.slice(11, 16)].join(SEPARATOR);
}
