import type { TopLevelSpec } from 'vega-lite';
import type { RunRecord } from '../run-record.ts';
import { type RatioRow, ratioRows } from './ratio-rows.ts';
import { ratioTicks } from './ratios.ts';
import { CHART_WIDTH } from './render-svg.ts';
import type { Theme } from './theme.ts';

const MARGIN = 10;
const TOP = 78;
/** From the left: scenarios, baselines, dots, figures. */
const [BASELINES_AT, DOTS_AT, DOTS_END] = [186, 318, 690];

/** Describes the chart of a run's ratios: a dot and its interval for every scenario and baseline, and a line at 1. */
export function ratioChart(run: RunRecord, theme: Theme): TopLevelSpec {
  const { rows, height } = ratioRows(run);
  const low = Math.min(0.8, ...rows.map((row) => row.low)) * 0.95;
  const high = Math.max(1.2, ...rows.map((row) => row.high)) * 1.05;
  const color = {
    field: 'baseline',
    type: 'nominal',
    scale: { domain: Object.keys(theme.baselines), range: Object.values(theme.baselines) },
    legend: null,
  };
  const y = {
    field: 'y',
    type: 'quantitative',
    axis: null,
    scale: { domain: [0, height], range: [0, height] },
  };
  const x = {
    field: 'ratio',
    type: 'quantitative',
    scale: { type: 'log', domain: [low, high], range: [DOTS_AT, DOTS_END] },
    axis: {
      values: ratioTicks(low, high, DOTS_END - DOTS_AT),
      format: '~g',
      title: null,
      grid: true,
      ...{ domain: false, ticks: false, labelPadding: 6 },
    },
  };
  const text = (at: number, align: 'left' | 'right', field: keyof RatioRow, ink: object): object => ({
    mark: { type: 'text', align },
    encoding: { x: { value: at }, y, text: { field }, color: ink },
  });
  const layer: object[] = [
    {
      data: { values: [{}] },
      mark: { type: 'rule', color: theme.faint, strokeDash: [4, 3] },
      encoding: { x: { ...x, datum: 1, field: undefined } },
    },
    {
      mark: { type: 'rule', strokeWidth: 2 },
      encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' }, y, color },
    },
    {
      mark: { type: 'point', size: 60, strokeWidth: 2, filled: false, opacity: 1 },
      encoding: {
        ...{ x, y, stroke: color },
        fill: { condition: { test: 'datum.told', ...color }, value: theme.background },
      },
    },
    text(0, 'left', 'title', { value: theme.text }),
    text(BASELINES_AT, 'left', 'name', color),
    text(CHART_WIDTH - 2 * MARGIN, 'right', 'figures', color),
  ];
  return {
    data: { values: rows },
    width: CHART_WIDTH - 2 * MARGIN,
    height,
    autosize: 'none',
    padding: { left: MARGIN, right: MARGIN, top: TOP, bottom: 26 },
    title: {
      text: 'How many times as fast Lumenize RPC is',
      subtitle: [
        'Time of the other over time of Lumenize RPC, and its 95 % interval; to the right of 1, Lumenize RPC is faster.',
        `Hollow dot: no verdict. On workerd, over sockets that hibernate where they can; ${run.takenAt.slice(0, 10)}, commit ${run.commit}.`,
      ],
      subtitlePadding: 6,
      offset: 14,
    },
    layer,
  } as TopLevelSpec;
}
