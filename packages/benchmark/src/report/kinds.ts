import type { TopLevelSpec } from 'vega-lite';
import { COLORS } from './render.ts';

/** One figure of a chart. */
export interface Point {
  /** Which of several axes it is on; or, of dots, what it is called on the vertical axis. */
  readonly panel: string;
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

/** What is said of a chart, and of its axes: with a vertical one it has lines, without one dots. */
export interface About {
  readonly title: string;
  readonly subtitle: string;
  readonly x: string;
  readonly y?: string;
  readonly log?: boolean;
  /** Where no difference is. */
  readonly reference?: number;
}

const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'stroke'];
const DASHES = ['1 0', '7 3', '2 3', '1 4', '9 2 2 2', '4 4', '12 4'].map((dash) => dash.split(' ').map(Number));

/** Describes a chart: dots on rows, each with its interval and hollow where it carries no verdict; or lines in panels, two a row. */
export function specOf(points: readonly Point[], about: About): TopLevelSpec {
  const names = [...new Set(points.map(({ name }) => name))];
  const key = (range: readonly unknown[]) => {
    return { field: 'name', scale: { domain: names, range }, legend: { columns: 3 } };
  };
  const color = key(names.map((name) => COLORS[kindOf(name)][0]));
  const spec =
    about.y === undefined ? dots(points, about, color, key(SHAPES)) : lines(points, about, color, key(DASHES));
  const title = { text: about.title, subtitle: about.subtitle.split('\n') };
  return { title, padding: 10, ...spec } as unknown as TopLevelSpec;
}

function dots(points: readonly Point[], about: About, color: object, shape: object): object {
  // Figures span decades, of which the powers of ten are enough.
  const x = { field: 'x', ...axis(about.x, about.log, about.log && about.reference === undefined ? 3 : 8) };
  const row = {
    y: { field: 'panel', type: 'nominal', sort: null, title: null, axis: { grid: true, tickBand: 'extent' } },
    yOffset: { field: 'name', type: 'nominal', sort: null },
  };
  const fillOpacity = { condition: { test: 'datum.told', value: 1 }, value: 0 };
  const interval = { ...row, x: { ...x, field: 'low' }, x2: { field: 'high' }, color };
  const values = points.map((point) => ({ low: point.x, high: point.x, told: true, ...point }));
  return {
    ...{ width: 500, height: { step: 6 }, data: { values } },
    layer: [
      ...reference(about, 'x'),
      { mark: { type: 'rule', strokeWidth: 2 }, encoding: interval },
      {
        mark: { type: 'point', size: 45, opacity: 1 },
        encoding: { ...row, x, stroke: color, fill: color, fillOpacity, shape },
      },
    ],
  };
}

function lines(points: readonly Point[], about: About, color: object, strokeDash: object): object {
  const ordinal = { type: 'ordinal', sort: null, title: null, axis: { labelAngle: -40, labelOverlap: 'greedy' } };
  const x = { field: 'x', ...(typeof points[0].x === 'string' ? ordinal : axis(about.x, about.log)) };
  const place = { x, y: { field: 'y', ...axis(about.y, true) } };
  const interval = { ...place, y: { ...place.y, field: 'low' }, y2: { field: 'high' }, color };
  const layer = [
    ...reference(about, 'y'),
    { mark: 'line', encoding: { ...place, color, strokeDash } },
    ...(points.some(({ low }) => low !== undefined) ? [{ mark: 'rule', encoding: interval }] : []),
    { mark: { type: 'point', size: 16, filled: true, opacity: 1 }, encoding: { ...place, color } },
  ];
  return {
    data: { values: points },
    ...{ facet: { field: 'panel', type: 'nominal', sort: null }, columns: 2 },
    spec: { width: 320, height: 140, layer },
    resolve: { scale: { x: 'independent', y: 'independent' } },
  };
}

function axis(title: string | undefined, log = false, tickCount = 8): object {
  const scale = log ? { type: 'log', nice: false } : { type: 'linear', zero: true };
  return { type: 'quantitative', title: log ? `${title}, logarithmic` : title, scale, axis: { tickCount } };
}

function reference({ reference: at }: About, channel: 'x' | 'y'): object[] {
  const mark = { type: 'rule', color: COLORS.faint[0], strokeDash: [4, 3] };
  const encoding = { [channel]: { field: 'at', type: 'quantitative' } };
  return at === undefined ? [] : [{ data: { values: [{ at }] }, mark, encoding }];
}

/** Returns what a subject, a baseline or a codec is drawn as. */
function kindOf(name: string): 'lumenize' | 'capnweb' | 'raw' | 'other' {
  if (/^(raw(?!-one)|native|JSON)/.test(name)) return 'raw';
  return (['lumenize', 'capnweb'] as const).find((kind) => name.startsWith(kind)) ?? 'other';
}
