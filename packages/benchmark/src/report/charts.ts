import type { TopLevelSpec } from 'vega-lite';
import type { RecordedComparison, RecordedRun, RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import type { LadderReport } from '../families/capacity/ladder.ts';
import { isControl } from '../statistics/comparison.ts';
import { decodeSamples } from '../statistics/histogram.ts';
import { type About, dots, lines, type Point } from './kinds.ts';
import { hashOf, isDrawn, LATENCIES, MAIN, takenWhen } from './record.ts';

/** A chart of a run. */
export interface Chart {
  /** What its file is called. */
  readonly name: string;
  readonly title: string;
  /** Describes it; `undefined` where the run has no figures for it. */
  draw(run: RunRecord, history: readonly RecordedRun[]): TopLevelSpec | undefined;
}

type Kind = (points: readonly Point[], about: About) => TopLevelSpec;

function chart(
  name: string,
  kind: Kind,
  about: About,
  pointsOf: (run: RunRecord, history: readonly RecordedRun[]) => readonly Point[],
): Chart {
  return {
    ...{ name, title: about.title },
    draw(run, history) {
      const points = pointsOf(run, history);
      const subtitle = [about.subtitle, `${takenWhen(run)}, commit ${hashOf(run)}`].join('\n');
      return points.length > 0 ? kind(points, { ...about, subtitle }) : undefined;
    },
  };
}

const RATIOS = { x: 'times as fast', log: true, reference: 1 } as const;
const RATIO_WORDS = 'Right of the dashed line Lumenize RPC is faster. 95 % intervals; hollow: no verdict.';
/** Of codecs, those that most programs would use. */
const CODECS = ['JSON', 'msgpackr', 'devalue', 'capnweb'];

/** Draws the ratios of one family: a row for each scenario. */
function ratios(family: string, title: string): Chart {
  return chart(`ratios-${family}`, dots, { title, subtitle: RATIO_WORDS, ...RATIOS }, ({ comparisons }) =>
    comparisons
      .filter((each) => each.family === family && !isControl(each) && each.subject.startsWith('lumenize'))
      .filter(({ host }) => !host.startsWith('wrangler'))
      // Of codecs there are many.
      .filter(({ host, baseline }) => family !== 'values' || (host === 'node' && CODECS.includes(baseline)))
      .map((each) => ({ row: rowName(each), name: each.baseline, ...ratioPoint(each) })),
  );
}

function ratioPoint({ ratio, ci95: [low, high], verdict }: RecordedComparison) {
  return { x: ratio, low, high, told: verdict === 'faster' || verdict === 'slower' };
}

function rowName({ host, scenario, subject }: RecordedComparison): string {
  const variant = subject === 'lumenize' ? '' : `, ${subject.replace('lumenize-', '')}`;
  return `${scenario}${variant}${host === 'workerd' ? '' : `, ${host.replace('workerd-', '')}`}`;
}

/** Draws the figures of one family in one unit: a row for each scenario. */
function figures(family: string, title: string, units: readonly string[], x: string, per = 1, log = false): Chart {
  const subtitle = 'The less, the better.';
  return chart(`figures-${family}`, dots, { title, subtitle, x, log }, ({ rows }) =>
    rows.flatMap((row) => {
      if (row.family !== family || row.value === undefined || !units.includes(row.unit)) return [];
      const [low, high] = row.ci95 ?? [row.value, row.value];
      // A mean of few readings may have an interval that begins below zero, where a logarithmic axis does not reach.
      const from = log ? Math.max(low, row.value / 10) : low;
      return [{ row: row.scenario, name: row.subject, x: row.value / per, low: from / per, high: high / per }];
    }),
  );
}

const PERCENTILES = [10, 25, 50, 75, 90, 95, 99, 99.9];

/** Returns the percentiles that a row has ten samples beyond, in ms. */
function percentiles({ scenario, subject, samples, n = 0 }: Row): Point[] {
  if (samples === undefined) return [];
  const histogram = decodeSamples(samples);
  return PERCENTILES.filter((each) => (n * (100 - each)) / 100 >= 10).map((each) => ({
    ...{ panel: scenario, name: subject, x: `${each} %` },
    y: histogram.getValueAtPercentile(each) / 1e6,
  }));
}

/** Returns bytes both ways of each sample that they were counted of. */
function bytes({ family, host, scenario, subject, detail }: Row): Point[] {
  if (host !== 'workerd' || family === 'profile' || !MAIN.includes(subject)) return [];
  const { bytesUp, bytesDown } = detail ?? {};
  if (bytesUp === undefined || bytesDown === undefined) return [];
  return [{ row: scenario, name: subject, x: Math.max(1, bytesUp + bytesDown) }];
}

/** Returns the 99th percentiles at each load of the first ladders, loads that were tried twice as the second time. */
function loads({ extras }: RunRecord): Point[] {
  const [{ ladders }] = (extras?.capacity ?? [{ ladders: [] }]) as readonly { ladders: readonly LadderReport[] }[];
  const first = ladders.filter(({ arm, repeat }) => repeat === 0 && MAIN.includes(arm));
  return first.flatMap(({ scenario, arm, rungs }) => {
    const p99 = new Map(rungs.map((rung) => [Math.max(1, rung.offeredPerSecond), Math.max(0.01, rung.p99Ms)]));
    return [...p99].toSorted(([a], [b]) => a - b).map(([x, y]) => ({ panel: scenario, name: arm, x, y }));
  });
}

/** Returns the places of the sources that take half a microsecond or more of the profiled calls. */
function places({ scenario, subject, detail = {} }: Row): Point[] {
  if (!PROFILED.includes(scenario)) return [];
  const own = Object.entries(detail).filter(([name, us]) => /^(client|server)Us /.test(name) && us >= 0.5);
  return own.map(([name, us]) => ({
    row: `${scenario.replace('profile/', '')}, ${name.replace('Us', '')}`,
    name: subject,
    x: us,
  }));
}

const PROFILED = ['profile/getValue', 'profile/echo-rows-200'];
const HISTORY = [...LATENCIES.slice(0, 3), 'increment/one-turn-100'];

/** Returns the ratios of some scenarios in all runs of this code alone. */
function history(runs: readonly RecordedRun[]): Point[] {
  const own = runs.filter(({ profile }) => profile !== 'change' && profile !== 'deployed');
  return own.flatMap(({ takenAt, comparisons }) =>
    comparisons
      .filter(({ host, subject }) => host === 'workerd' && subject === 'lumenize')
      .filter(({ scenario, baseline }) => HISTORY.includes(scenario) && ['capnweb', 'raw'].includes(baseline))
      .map(({ scenario: panel, baseline: name, ratio: y, ci95: [low, high] }) => {
        return { panel, name, x: takenAt.slice(5, 16).replace('T', ' '), y, low, high };
      }),
  );
}

/** Every chart, in the order of the page. */
export const CHARTS: readonly Chart[] = [
  ratios('counter', 'Calls of a counter'),
  ratios('cold', 'Cold clients and servers'),
  ratios('pipeline', 'Calls that build on others'),
  ratios('transports', 'Transports, large values and streams'),
  ratios('latency', 'Requests of a gateway'),
  ratios('events', 'Events, from publish to every subscriber'),
  ratios('links', 'Over emulated networks'),
  ratios('capacity', 'How much load is carried'),
  ratios('start', 'Starting, waking and connecting again'),
  ratios('values', 'Codecs: Lumenize against others'),
  chart(
    'latency',
    lines,
    { title: 'How long calls take', subtitle: 'Percentiles, down is faster.', x: 'percentile', y: 'ms' },
    ({ rows }) =>
      LATENCIES.flatMap((scenario) => rows.filter((row) => isDrawn(row) && row.scenario === scenario)).flatMap(
        percentiles,
      ),
  ),
  chart(
    'capacity',
    lines,
    {
      ...{ title: 'Load and 99th percentile', subtitle: 'Timed from when a call was due; dashed: the objective.' },
      ...{ x: 'calls offered per s', y: 'ms', log: true, reference: 10 },
    },
    loads,
  ),
  chart(
    'profile',
    dots,
    { title: 'Where a call’s time goes', subtitle: 'By sampling both sides; the less, the better.', x: 'µs' },
    ({ rows }) => rows.flatMap(places),
  ),
  figures('profile', 'Modelled: a call over a usual link', ['ms'], 'ms'),
  figures('start', 'Importing, starting, waking, connecting again', ['ms'], 'ms', 1, true),
  chart(
    'bytes',
    dots,
    { title: 'Bytes of frames, up and down', subtitle: 'Of one sample; the less, the better.', x: 'bytes', log: true },
    ({ rows }) => rows.flatMap(bytes),
  ),
  figures('memory', 'Memory of an idle connection', ['B/connection'], 'kB', 1000),
  figures('size', 'Sizes', ['B'], 'kB', 1000, true),
  figures('feature-cost', 'What features add to a call', ['us'], 'µs'),
  chart(
    'history',
    lines,
    {
      title: 'Ratios over runs',
      subtitle: 'Above 1, Lumenize RPC is faster.',
      x: 'run',
      y: 'times as fast',
      reference: 1,
    },
    (_, runs) => history(runs),
  ),
];
