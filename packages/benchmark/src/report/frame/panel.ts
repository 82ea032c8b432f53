import { DASHES, SHAPES } from '../series.ts';
import type { Series, Theme } from '../theme.ts';
import { LABEL } from './label.ts';

/** One axis of a panel. */
export interface PanelAxis {
  readonly type: 'linear' | 'log';
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** A Vega expression of `datum.value`. @default the number itself */
  readonly labelExpr?: string;
  /** What it measures, and whether it begins at zero or is logarithmic. */
  readonly title: string;
  /** Where a dashed line stands, where there is one. */
  readonly reference?: number;
}

/** The points of one line, from left to right. */
export interface Line {
  readonly series: Series;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** Whether it is a variant of another line, and so thinner, with hollow points. @default false */
  readonly thin?: boolean;
  /** Stands out from the points: a larger, filled one. */
  readonly marked?: readonly [x: number, y: number];
}

/** One of several charts with the same kinds of axes. */
export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly x: PanelAxis;
  readonly y: PanelAxis;
}

/** The room for the labels and the title of a vertical axis, in px. */
export const AXIS_WIDTH = 58;

/** Describes a panel of this size in px. */
export function panelLayers({ title, lines, x, y }: Panel, theme: Theme): object[] {
  const place = {
    x: { field: 'x', type: 'quantitative', ...axisOf(x) },
    y: { field: 'y', type: 'quantitative', ...axisOf(y, { minExtent: AXIS_WIDTH - 18, maxExtent: AXIS_WIDTH - 18 }) },
  };
  return [
    {
      data: { values: [{}] },
      mark: { type: 'text', align: 'left', fontWeight: 'bold', color: theme.text, text: title },
      encoding: { x: { value: 0 }, y: { value: -14 } },
    },
    {
      data: { values: y.reference === undefined ? [] : [{ y: y.reference }] },
      mark: { type: 'rule', color: theme.faint, strokeDash: [4, 3] },
      encoding: { y: place.y },
    },
    ...lines.flatMap(({ series, points, thin = false, marked }) => {
      const color = theme.series[series];
      const point = { type: 'point', shape: SHAPES[series], opacity: 1, color };
      return [
        {
          data: { values: points.map(([px, py]) => ({ x: px, y: py })) },
          mark: {
            type: 'line',
            color,
            ...{ strokeWidth: thin ? 1 : 2, strokeDash: DASHES[series] },
            point: { ...point, size: 28, filled: !thin, strokeWidth: 1 },
          },
          encoding: place,
        },
        ...(marked
          ? [
              {
                data: { values: [{ x: marked[0], y: marked[1] }] },
                mark: { ...point, size: 190, filled: false, strokeWidth: thin ? 1.5 : 2.5 },
                encoding: place,
              },
            ]
          : []),
      ];
    }),
  ];
}

function axisOf({ type, domain, ticks, labelExpr, title }: PanelAxis, more: object = {}): object {
  return {
    scale: { type, domain, nice: false, ...(type === 'linear' && { zero: false }) },
    axis: {
      ...{ values: ticks, title, grid: true, domain: false, ticks: false, labelPadding: 6, titlePadding: 4 },
      labelExpr: labelExpr ?? LABEL,
      labelFlush: false,
      labelOverlap: 'greedy',
      ...more,
    },
  };
}
