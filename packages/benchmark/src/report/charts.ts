import { decodeFromCompressedBase64 } from 'hdr-histogram-js';
import type { TopLevelSpec } from 'vega-lite';
import type { RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import type { LadderReport } from '../families/capacity/ladder.ts';
import { isControl } from '../statistics/comparison.ts';
import { nameOf, scenarioName, variantOf } from './names.ts';
import { hashOf, isDrawn, LATENCIES, MAIN, takenWhen } from './record.ts';
import { COLORS } from './render.ts';

/** A chart of a run. */
export interface Chart extends About {
  /** The name of the file. */
  readonly name: string;
  /** Returns the points to draw, for the run or for all runs up to it. */
  points(run: RunRecord, history: readonly RunRecord[]): readonly Point[];
}

/** Returns the specification of a chart of a run, or `undefined` if the run has no figures for it. */
export function drawn(chart: Chart, run: RunRecord, history: readonly RunRecord[]): TopLevelSpec | undefined {
  const points = chart.points(run, history);
  const subtitle = `${chart.subtitle}\n${takenWhen(run)}, commit ${hashOf(run)}`;
  return points.length > 0 ? specOf(points, { ...chart, subtitle }) : undefined;
}

/** The codecs that most programs would use. */
const CODECS = ['JSON', 'msgpackr', 'devalue', 'capnweb'];

/** Returns the ratios of one family, with a row for each scenario. */
function ratios({ comparisons }: RunRecord, family: string): Point[] {
  return (
    comparisons
      .filter((each) => each.family === family && !isControl(each) && each.subject.startsWith('lumenize'))
      .filter(({ host }) => !host.startsWith('wrangler'))
      // There are many codecs, so only some are drawn.
      .filter(({ host, baseline }) => family !== 'values' || (host === 'node' && CODECS.includes(baseline)))
      .map(({ host, scenario, subject, baseline: name, ratio: x, ci95: [low, high], verdict }) => {
        const link = host.startsWith('workerd-') ? host.replace('workerd-', ', ') : '';
        const panel = `${scenarioName(scenario + link)}${variantOf(subject)}`;
        return { panel, name, x, low, high, told: verdict === 'faster' || verdict === 'slower' };
      })
  );
}

/** Returns the figures of one family in one unit, with a row for each scenario. */
function figures({ rows }: RunRecord, family: string, unit: string, per: number, log?: boolean): Point[] {
  return rows.flatMap((row) => {
    if (row.family !== family || row.value === undefined || row.unit !== unit) return [];
    const [low, high] = row.ci95 ?? [row.value, row.value];
    // The mean of few readings may have an interval that begins below zero, which a logarithmic axis cannot show.
    const from = log ? Math.max(low, row.value / 10) : low;
    return {
      panel: scenarioName(row.scenario),
      name: row.subject,
      x: row.value / per,
      low: from / per,
      high: high / per,
    };
  });
}

/** Returns the percentiles in ms that have at least ten samples beyond them. */
function percentiles({ scenario, subject: name, samples, n = 0 }: Row): Point[] {
  if (samples === undefined) return [];
  const panel = scenarioName(scenario);
  const histogram = decodeFromCompressedBase64(samples);
  const told = [10, 25, 50, 75, 90, 95, 99, 99.9].filter((each) => (n * (100 - each)) / 100 >= 10);
  return told.map((each) => ({ panel, name, x: `${each} %`, y: histogram.getValueAtPercentile(each) / 1e6 }));
}

/** Returns the bytes of each sample in both directions, if they were counted. */
function bytes({ family, host, scenario, subject: name, detail }: Row): Point[] {
  if (host !== 'workerd' || family === 'profile' || !MAIN.includes(name)) return [];
  const { bytesUp, bytesDown } = detail ?? {};
  return bytesUp === undefined ? [] : [{ panel: scenarioName(scenario), name, x: Math.max(1, bytesUp + bytesDown!) }];
}

/**
 * Returns the 99th percentile at each load of the first launch's ladders. For a load that was tried twice, the second
 * time counts.
 */
function loads({ extras }: RunRecord): Point[] {
  const [{ ladders }] = (extras?.capacity ?? [{ ladders: [] }]) as readonly { ladders: readonly LadderReport[] }[];
  const main = ladders.filter(({ arm }) => MAIN.includes(arm));
  return main.flatMap(({ scenario, arm: name, rungs }) => {
    const panel = scenarioName(scenario);
    const p99 = new Map(rungs.map((rung) => [Math.max(1, rung.offeredPerSecond), Math.max(0.01, rung.p99Ms)]));
    return [...p99].toSorted(([a], [b]) => a - b).map(([x, y]) => ({ panel, name, x, y }));
  });
}

const PROFILED = ['profile/getValue', 'profile/echo-rows-200'];

/** Returns the places of the sources that take at least three microseconds of the profiled calls. Others are noise. */
function places({ scenario, subject: name, detail = {} }: Row): Point[] {
  if (!PROFILED.includes(scenario)) return [];
  const own = Object.entries(detail).filter(([place, us]) => /^(client|server)Us /.test(place) && us >= 3);
  return own.map(([place, x]) => {
    return { panel: `${scenarioName(scenario)}, ${place.replace('Us', '')}`, name, x };
  });
}

const HISTORY = [...LATENCIES.slice(0, 3), 'increment/one-turn-100'];

/** Returns the ratios of some scenarios in all runs of only this code. */
function history(runs: readonly RunRecord[]): Point[] {
  const own = runs.filter(({ profile }) => profile !== 'change' && profile !== 'deployed');
  return own.flatMap(({ takenAt, comparisons }) =>
    comparisons
      .filter(({ host, subject }) => host === 'workerd' && subject === 'lumenize')
      .filter(({ scenario, baseline }) => HISTORY.includes(scenario) && ['capnweb', 'raw'].includes(baseline))
      .map(({ scenario, baseline: name, ratio: y, ci95: [low, high] }) => {
        return { panel: scenarioName(scenario), name, x: takenAt.slice(5, 16).replace('T', ' '), y, low, high };
      }),
  );
}

const RATIOS = {
  ...{ x: 'times as fast', log: true, reference: 1 },
  subtitle: 'Right of the dashed line Lumenize RPC is faster.\n95 % intervals; hollow: no verdict.',
};
const RATIOS_OF = {
  counter: 'Calls of a counter',
  cold: 'Cold clients and servers',
  pipeline: 'Calls that build on others',
  transports: 'Transports, large values and streams',
  latency: 'Requests of a gateway',
  events: 'Events, from publish to every subscriber',
  links: 'Over emulated networks',
  capacity: 'How much load is carried',
  start: 'Starting, waking and connecting again',
  values: 'Codecs: Lumenize against others',
};
const FIGURES_OF = [
  ['start', 'How long starting and waking take', 'ms', 'ms', 1, true],
  ['memory', 'Memory of an idle connection', 'B/connection', 'kB', 1000, false],
  ['size', 'Sizes', 'B', 'kB', 1000, true],
  ['feature-cost', 'What features add to a call', 'us', 'µs', 1, false],
] as const;

/** Every chart, in the order of the page. */
export const CHARTS: readonly Chart[] = [
  ...Object.entries(RATIOS_OF).map(([family, title]): Chart => {
    return { name: `ratios-${family}`, title, ...RATIOS, points: (run) => ratios(run, family) };
  }),
  {
    ...{ name: 'latency', title: 'How long calls take', subtitle: 'Percentiles, down is faster.' },
    ...{ x: 'percentile', y: 'ms' },
    points: ({ rows }) =>
      LATENCIES.flatMap((name) => rows.filter((row) => isDrawn(row) && row.scenario === name).flatMap(percentiles)),
  },
  {
    ...{ name: 'capacity', title: 'Load and 99th percentile' },
    subtitle: 'Timed from when a call was due; dashed: the objective.',
    ...{ x: 'calls offered per s', y: 'ms', log: true, reference: 10, points: loads },
  },
  {
    ...{ name: 'profile', title: 'Where a call’s time goes', x: 'µs' },
    subtitle: 'By sampling both sides, from 3 µs; the less, the better.',
    points: ({ rows }) => rows.flatMap(places),
  },
  {
    ...{ name: 'bytes', title: 'Bytes of frames, up and down', x: 'bytes', log: true },
    subtitle: 'Of one sample; the less, the better.',
    points: ({ rows }) => rows.flatMap(bytes),
  },
  ...FIGURES_OF.map(([family, title, unit, x, per, log]): Chart => {
    const about = { name: `figures-${family}`, title, subtitle: 'The less, the better.', x, log };
    return { ...about, points: (run) => figures(run, family, unit, per, log) };
  }),
  {
    ...{ name: 'history', title: 'Ratios over runs', subtitle: 'Above 1, Lumenize RPC is faster.' },
    ...{ x: 'run', y: 'times as fast', reference: 1 },
    points: (_, runs) => history(runs),
  },
];

/** One figure of a chart. */
interface Point {
  /** The panel of the figure. For dots, it is the name on the vertical axis. */
  readonly panel: string;
  /** The subject, a baseline or a part. */
  readonly name: string;
  readonly x: number | string;
  readonly low?: number;
  readonly high?: number;
  /** Only for lines. */
  readonly y?: number;
  /** True if the dot is filled. */
  readonly told?: boolean;
}

/** The titles of a chart and its axes. A chart with a vertical axis has lines, and one without has dots. */
interface About {
  readonly title: string;
  readonly subtitle: string;
  readonly x: string;
  readonly y?: string;
  readonly log?: boolean;
  /** The value that means no difference. */
  readonly reference?: number;
}

const SHAPES = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'stroke'];
const DASHES = ['1 0', '7 3', '2 3', '1 4', '9 2 2 2', '4 4', '12 4'].map((dash) => dash.split(' ').map(Number));

const WIDTH = 360;
/** The heights of the row of a subject, and of the name above rows. */
const [ROW, NAME] = [7, 18];

/**
 * Returns the specification of a chart. It has either dots in rows with intervals, hollow without a verdict, or lines
 * in panels. It is so narrow that it can be read on a phone.
 */
function specOf(points: readonly Point[], about: About): TopLevelSpec {
  const names = [...new Set(points.map(({ name }) => name))];
  const key = (range: readonly unknown[]) => {
    return { field: 'name', scale: { domain: names.map(nameOf), range }, legend: { columns: 1 } };
  };
  const color = key(names.map((name) => COLORS[kindOf(name)][0]));
  const named = points.map((point) => ({ ...point, name: nameOf(point.name) }));
  const spec = about.y === undefined ? dots(named, about, color, key(SHAPES)) : lines(named, about, color, key(DASHES));
  const title = { text: about.title, subtitle: about.subtitle.split('\n') };
  return { title, padding: 10, ...spec } as unknown as TopLevelSpec;
}

function dots(points: readonly Point[], about: About, color: object, shape: object): object {
  // Figures span decades, so powers of ten are sufficient.
  const x = { field: 'x', ...axis(about.x, about.log, about.log && about.reference === undefined ? 3 : 8) };
  // The names are above their rows, so that a phone has room for both.
  const rows = ROW * new Set(points.map(({ name }) => name)).size;
  const padding = NAME / (rows + NAME);
  const above = {
    labelAlign: 'left',
    labelPadding: 0,
    labelOffset: -(rows + NAME) / 2,
    labelLimit: 0,
    labelColor: COLORS.text[0],
  };
  const row = {
    y: {
      ...{ field: 'panel', type: 'nominal', sort: null, title: null },
      ...{ scale: { paddingInner: padding, paddingOuter: padding }, axis: { grid: false, ...above } },
    },
    yOffset: { field: 'name', type: 'nominal', sort: null },
  };
  const fillOpacity = { condition: { test: 'datum.told', value: 1 }, value: 0 };
  const interval = { ...row, x: { ...x, field: 'low' }, x2: { field: 'high' }, color };
  const values = points.map((point) => ({ low: point.x, high: point.x, told: true, ...point }));
  return {
    ...{ width: WIDTH, height: { step: ROW }, data: { values } },
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
    ...{ facet: { field: 'panel', type: 'nominal', sort: null }, columns: 1 },
    spec: { width: WIDTH, height: 140, layer },
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

/** Returns the kind that a subject, baseline or codec is drawn as. */
function kindOf(name: string): 'lumenize' | 'capnweb' | 'raw' | 'other' {
  if (/^(raw(?!-one)|native|JSON)/.test(name)) return 'raw';
  return (['lumenize', 'capnweb'] as const).find((kind) => name.startsWith(kind)) ?? 'other';
}
