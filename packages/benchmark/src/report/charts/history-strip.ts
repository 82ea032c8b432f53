import { subjectName } from '../../log/names.ts';
import { MARGIN } from '../frame/head.ts';
import { type KeyItem, keyLayers } from '../frame/key.ts';
import { logTicks } from '../frame/ticks.ts';
import { SHAPES } from '../series.ts';
import { CHART_WIDTH } from '../svg/render-svg.ts';
import type { Theme } from '../theme.ts';

const HEIGHT = 76;
/** The room for the labels of a vertical axis, in px. */
export const AXIS = 34;
const STRIP_WIDTH = CHART_WIDTH - 2 * MARGIN - AXIS - 1;
/** The baselines that are drawn over time: raw JSON in one frame is there for one scenario only. */
export const DRAWN = ['capnweb', 'raw'] as const;
export type Drawn = (typeof DRAWN)[number];
/** Stands between the lines of a run's label. */
export const SEPARATOR = '|';

const KEY = DRAWN.map((baseline): KeyItem => [baseline, `against ${subjectName(baseline)}`]);
const KEY_AT = 430;

/** One ratio of one run. */
export interface Point {
  readonly run: string;
  readonly scenario: string;
  readonly baseline: Drawn;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly told: boolean;
}

/** What a strip says beside its points. */
export interface Strip {
  readonly title: string;
  /** The labels of all runs, oldest first, also of those without a point here. */
  readonly runs: readonly string[];
  /** The first strip has the baselines' names, the last one the runs'. */
  readonly first: boolean;
  readonly last: boolean;
}

/** Describes how the ratios of one scenario went over the runs. */
export function historyStrip(points: readonly Point[], { title, runs, first, last }: Strip, theme: Theme): object {
  const low = Math.min(0.9, ...points.map((point) => point.low)) * 0.95;
  const high = Math.max(1.1, ...points.map((point) => point.high)) * 1.05;
  const color = {
    field: 'baseline',
    type: 'nominal',
    scale: { domain: DRAWN, range: DRAWN.map((baseline) => theme.series[baseline]) },
    legend: null,
  };
  const x = {
    field: 'run',
    type: 'ordinal',
    scale: { domain: runs },
    axis: last
      ? {
          title: null,
          labelAngle: 0,
          labelExpr: `split(datum.value, '${SEPARATOR}')`,
          labelOverlap: 'greedy',
          ticks: false,
        }
      : null,
  };
  const offset = { field: 'baseline', scale: { domain: DRAWN, paddingOuter: 1.5 } };
  const y = {
    field: 'ratio',
    type: 'quantitative',
    scale: { type: 'log', domain: [low, high] },
    axis: {
      ...{ values: logTicks([low, high], HEIGHT), format: '~g', title: null, domain: false, ticks: false, grid: true },
      ...{ minExtent: AXIS, maxExtent: AXIS, labelOverlap: 'greedy' },
    },
  };
  const shared = { x, xOffset: offset, color };
  return {
    data: { values: points },
    width: STRIP_WIDTH,
    height: HEIGHT,
    layer: [
      {
        data: { values: [{}] },
        mark: { type: 'rule', color: theme.faint, strokeDash: [4, 3] },
        encoding: { y: { ...y, datum: 1, field: undefined } },
      },
      { mark: { type: 'line', strokeWidth: 1, opacity: 0.6 }, encoding: { ...shared, y } },
      {
        mark: { type: 'rule', strokeWidth: 2 },
        encoding: { ...shared, y: { ...y, field: 'low' }, y2: { field: 'high' } },
      },
      // A layer for each: one scale of shapes for both would be joined with that of colours.
      ...DRAWN.map((baseline) => ({
        data: { values: points.filter((point) => point.baseline === baseline) },
        mark: { type: 'point', shape: SHAPES[baseline], size: 45, strokeWidth: 2, filled: false, opacity: 1 },
        encoding: {
          ...{ x, xOffset: offset, y, stroke: color },
          fill: { condition: { test: 'datum.told', ...color }, value: theme.background },
        },
      })),
      label(title, { align: 'left', color: theme.text, fontWeight: 'bold' }, 0),
      ...(first ? keyLayers(KEY, KEY_AT, theme) : []),
    ],
  };
}

/** Text above a strip; no title, which would make room for the axis and so stand higher above some than above others. */
function label(text: string, style: object, x: number): object {
  return {
    data: { values: [{ text }] },
    mark: { type: 'text', ...style },
    encoding: { text: { field: 'text' }, x: { value: x }, y: { value: -12 } },
  };
}
