import type { TopLevelSpec } from 'vega-lite';
import { SERIES, SHAPES } from '../series.ts';
import type { Theme } from '../theme.ts';
import { headOf, INNER_WIDTH, MARGIN, type Words } from './head.ts';
import { type KeyItem, keyLayers } from './key.ts';
import { LABEL } from './label.ts';
import { layOut, type Row } from './row.ts';

/** The axis that rows share. */
export interface RowAxis {
  readonly type: 'linear' | 'log';
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  /** What it measures, and whether it begins at zero or is logarithmic. */
  readonly title: string;
  /** Where a dashed line stands, where there is one: at no difference. */
  readonly reference?: number;
}

/** A chart of rows, each with a title, a name, dots or bars, and figures. */
export interface RowsChart extends Words {
  readonly rows: readonly Row[];
  readonly axis: RowAxis;
  /** Where names begin, and where dots and bars begin and end, in px from the left. */
  readonly columns: readonly [names: number, from: number, to: number];
  /** What is named above, where rows do not name it. */
  readonly key?: readonly KeyItem[];
}

const BOTTOM = 46;
const BAR = 11;

/** Describes a chart of rows. */
export function rowsChart({ rows, axis, columns, key = [], ...words }: RowsChart, theme: Theme): TopLevelSpec {
  const { texts, dots, bars, height } = layOut(rows);
  const [names, from, to] = columns;
  const { title, top } = headOf(words, key.length > 0);
  const y = { field: 'y', type: 'quantitative', axis: null, scale: { domain: [0, height], range: [0, height] } };
  const x = {
    field: 'value',
    type: 'quantitative',
    scale: { type: axis.type, domain: axis.domain, range: [from, to], nice: false },
    axis: {
      ...{ values: axis.ticks, labelExpr: LABEL, labelFlush: false, title: axis.title, grid: true, titlePadding: 6 },
      ...{ domain: false, ticks: false, labelPadding: 6, titleAnchor: 'start', titleAlign: 'left', titleX: from },
    },
  };
  const color = {
    field: 'series',
    type: 'nominal',
    scale: { domain: [...SERIES, 'none'], range: [...SERIES.map((series) => theme.series[series]), theme.text] },
    legend: null,
  };
  const text = (at: number, align: 'left' | 'right', field: 'heading' | 'title' | 'name' | 'figures', style = {}) => ({
    data: {
      values: texts.flatMap((each) => (each[field] ? [{ y: each.y, text: each[field], series: each.series }] : [])),
    },
    mark: { type: 'text', align, ...style },
    encoding: {
      x: { value: at },
      y,
      text: { field: 'text' },
      color: field === 'title' ? { value: theme.text } : color,
    },
  });
  const layer: object[] = [
    {
      data: { values: axis.reference === undefined ? [] : [{ value: axis.reference }] },
      mark: { type: 'rule', color: theme.faint, strokeDash: [4, 3] },
      encoding: { x },
    },
    {
      data: { values: bars },
      mark: { type: 'rule', strokeWidth: BAR },
      encoding: {
        x: { ...x, field: 'from' },
        x2: { field: 'to' },
        y,
        color,
        opacity: { field: 'opacity', type: 'quantitative', scale: null },
      },
    },
    {
      data: { values: dots.filter(({ low, high }) => high > low) },
      mark: { type: 'rule', strokeWidth: 2 },
      encoding: { x: { ...x, field: 'low' }, x2: { field: 'high' }, y, color },
    },
    // A layer for each: one scale of shapes for all of them would be joined with that of colours.
    ...SERIES.map((series) => ({
      data: { values: dots.filter((dot) => dot.series === series) },
      mark: { type: 'point', shape: SHAPES[series], size: 55, strokeWidth: 2, filled: false, opacity: 1 },
      encoding: { x, y, stroke: color, fill: { condition: { test: 'datum.told', ...color }, value: theme.background } },
    })),
    text(0, 'left', 'heading', { fontWeight: 'bold' }),
    text(0, 'left', 'title'),
    text(names, 'left', 'name'),
    text(INNER_WIDTH, 'right', 'figures'),
    ...keyLayers(key, from, theme),
  ];
  return {
    ...{ title, width: INNER_WIDTH, height, autosize: 'none', layer },
    padding: { left: MARGIN, right: MARGIN, top, bottom: BOTTOM },
  } as TopLevelSpec;
}
