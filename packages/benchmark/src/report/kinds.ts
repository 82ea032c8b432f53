import type { TopLevelSpec } from 'vega-lite';
import { COLORS } from './render.ts';

/** One figure of a chart. */
export interface Point {
  /** Which of several axes it is on. */
  readonly panel?: string;
  /** What it is called on the vertical axis of a chart of dots or bars. */
  readonly row?: string;
  /** The subject, a baseline or a part. */
  readonly name: string;
  readonly x: number | string;
  readonly low?: number;
  readonly high?: number;
  /** Of lines. */
  readonly y?: number;
  /** Whether it is filled. */
  readonly told?: boolean;
}

/** What is said of a chart, and of its horizontal axis. */
export interface About {
  readonly title: string;
  readonly subtitle: string;
  readonly x: string;
  /** Of lines. */
  readonly y?: string;
  readonly log?: boolean;
  /** Where no difference is. */
  readonly reference?: number;
}

const WIDTH = 500;
const PANEL = { width: 320, height: 140 };
const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'stroke'];
const DASHES = ['1 0', '7 3', '2 3', '1 4', '9 2 2 2', '4 4', '12 4'].map((dash) => dash.split(' ').map(Number));

/** Draws what stands on rows: each figure with its interval, hollow where it carries no verdict. */
export function dots(points: readonly Point[], about: About): TopLevelSpec {
  // Figures span decades, of which the powers of ten are enough.
  const ticks = about.log && about.reference === undefined ? 3 : 8;
  const x = { field: 'x', type: 'quantitative', ...axis(about.x, about.log, ticks) };
  const color = colors(points);
  const row = {
    y: { field: 'row', type: 'nominal', sort: null, title: null, axis: { grid: true, tickBand: 'extent' } },
    yOffset: { field: 'name', type: 'nominal', sort: null },
  };
  const fillOpacity = { condition: { test: 'datum.told', value: 1 }, value: 0 };
  const shape = { field: 'name', scale: { domain: color.scale.domain, range: SHAPES }, legend: color.legend };
  return {
    ...head(about),
    ...{ width: WIDTH, height: { step: 6 }, data: { values: full(points) } },
    layer: [
      ...reference(about, 'x'),
      {
        mark: { type: 'rule', strokeWidth: 2 },
        encoding: { ...row, x: { ...x, field: 'low' }, x2: { field: 'high' }, color },
      },
      {
        mark: { type: 'point', size: 45, opacity: 1 },
        encoding: { ...row, x, stroke: color, fill: color, fillOpacity, shape },
      },
    ],
  } as unknown as TopLevelSpec;
}

/** Draws lines in panels, two a row. */
export function lines(points: readonly Point[], about: About): TopLevelSpec {
  const color = colors(points);
  const place = {
    x: {
      field: 'x',
      ...(typeof points[0].x === 'string' ? ordinal : { type: 'quantitative', ...axis(about.x, about.log) }),
    },
    y: { field: 'y', type: 'quantitative', ...axis(about.y, true) },
  };
  const strokeDash = { field: 'name', scale: { domain: color.scale.domain, range: DASHES }, legend: color.legend };
  const layer = [
    ...reference(about, 'y'),
    { mark: 'line', encoding: { ...place, color, strokeDash } },
    ...(points.some(({ low }) => low !== undefined)
      ? [{ mark: 'rule', encoding: { ...place, y: { ...place.y, field: 'low' }, y2: { field: 'high' }, color } }]
      : []),
    { mark: { type: 'point', size: 16, filled: true, opacity: 1 }, encoding: { ...place, color } },
  ];
  return {
    ...head(about),
    data: { values: points },
    ...{ facet: { field: 'panel', type: 'nominal', sort: null }, columns: 2 },
    spec: { ...PANEL, layer },
    resolve: { scale: { x: 'independent', y: 'independent' } },
  } as unknown as TopLevelSpec;
}

const ordinal = { type: 'ordinal', sort: null, title: null, axis: { labelAngle: -40, labelOverlap: 'greedy' } };

function head({ title, subtitle }: About): object {
  return { title: { text: title, subtitle: subtitle.split('\n') }, padding: 10 };
}

function axis(title: string | undefined, log = false, tickCount = 8): object {
  const scale = log ? { type: 'log', nice: false } : { type: 'linear', zero: true };
  return { title: log ? `${title}, logarithmic` : title, scale, axis: { tickCount } };
}

function reference({ reference: at }: About, channel: 'x' | 'y'): object[] {
  if (at === undefined) return [];
  return [
    {
      data: { values: [{ at }] },
      mark: { type: 'rule', color: COLORS.faint[0], strokeDash: [4, 3] },
      encoding: { [channel]: { field: 'at', type: 'quantitative' } },
    },
  ];
}

/** Points with all of their fields. */
function full(points: readonly Point[]): Point[] {
  return points.map((point) => ({ low: point.x as number, high: point.x as number, told: true, ...point }));
}

function colors(points: readonly Point[]) {
  const names = [...new Set(points.map(({ name }) => name))];
  const range = names.map((name) => COLORS[kindOf(name)][0]);
  return { field: 'name', scale: { domain: names, range }, legend: { columns: 3 } };
}

/** Returns what a subject, a baseline or a codec is drawn as. */
function kindOf(name: string): 'lumenize' | 'capnweb' | 'raw' | 'other' {
  return (
    (['lumenize', 'capnweb'] as const).find((kind) => name.startsWith(kind)) ??
    (/^(raw(?!-one)|native|JSON)/.test(name) ? 'raw' : 'other')
  );
}
