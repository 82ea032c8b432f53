import type { Place } from '@lumenize/hosts/host';
import type { Bar, RunRecord } from '../engine/record.ts';
import { figure, interval, type Table } from './tables.ts';

/** A goal: where its figure is found, what it must be, and what is aimed at. */
interface Goal {
  /** @default the scenarios, and what they are compared with */
  readonly name?: string;
  readonly must: number;
  readonly aim: number;
  /** Whether the figure must be this much at most. @default at least */
  readonly most?: true;
  /** @default workerd for ratios, any for figures */
  readonly host?: Place;
  /** Where there are several, the worst of them counts. */
  readonly scenarios: readonly string[];
  /** @default lumenize */
  readonly subject?: string;
  /** Finds a ratio; without baselines, the figure of a row. */
  readonly baselines?: readonly string[];
  /** The name of a detail of the row. @default its value */
  readonly detail?: string;
  /** Whether bytes are told in kB. */
  readonly kB?: true;
}

type RatioGoal = readonly [
  scenarios: string | readonly string[],
  baselines: string | readonly string[],
  must: number,
  aim: number,
  more?: Partial<Goal>,
];
type FigureGoal = readonly [scenario: string, most: number, aim: number, more?: Partial<Goal>];

const early = (fresh: string) =>
  ['reads-2-to-11', 'rows-1-to-5', 'rows-6-to-25'].map((calls) => `cold/${fresh}/${calls}`);

const RATIOS: readonly RatioGoal[] = [
  ['getValue/sequential', 'capnweb', 1.2, 1.2],
  ['getValue/sequential', 'capnweb-plain', 1.3, 1.45],
  ['getValue/sequential', 'raw-plain', 0.92, 0.97],
  ['increment/sequential', 'raw-plain', 0.95, 1],
  ['increment/one-turn-100', 'capnweb', 15, 40],
  ['increment/one-turn-100', 'raw-one-frame', 0.9, 1],
  ['connect/first-result', 'raw-plain', 0.92, 1],
  ['cold/both/first-result', 'capnweb-plain', 1, 1.2],
  ['pipeline/chain-3', 'capnweb', 1.8, 1.8],
  ['echo/rows-200', 'capnweb', 2, 2],
  ['echo/rows-200', 'capnweb-plain', 1.6, 2],
  ['echo/rows-200', 'raw-plain', 0.85, 1],
  ['echo/bytes-64KiB', 'capnweb', 4, 4],
  ['echo/bytes-1MiB', 'capnweb', 8, 8],
  ['events/to-1', 'raw-plain', 0.8, 0.95],
  ['events/to-100', 'raw-plain', 0.95, 1.1],
  ['events/to-1000', 'raw-plain', 1, 1.1],
  ['events/to-1000', 'capnweb', 3, 3],
  ['throughput/20x1', 'capnweb-plain', 1.05, 1.15],
  ['wake/first-result', 'raw-plain', 0.92, 1],
  ['getValue/sequential', 'capnweb', 1.35, 1.35, { subject: 'lumenize-accept' }],
  ['call/getValue', 'native', 0.8, 0.95, { subject: 'lumenize-native' }],
  ['call/getValue', 'raw-port', 0.5, 0.7, { subject: 'lumenize-port' }],
  [early('client'), 'capnweb-plain', 1.1, 1.4, { name: 'early calls of a fresh client' }],
  [early('server'), 'capnweb-plain', 1.2, 1.5, { name: 'early calls of a fresh server' }],
];

const FIGURES: readonly FigureGoal[] = [
  ['increment/sequential', 1, 1, { detail: 'framesUp' }],
  ['increment/sequential', 1, 1, { detail: 'framesDown' }],
  ['increment/sequential', 20, 20, { detail: 'bytesUp' }],
  ['increment/sequential', 10, 10, { detail: 'bytesDown' }],
  ['connection/hibernating, ratio to raw', 1.1, 1.1],
  ['connect and call', 11, 9.5, { kB: true }],
  ['what Cap’n Web has', 15, 14, { kB: true }],
  ['all of client', 22, 19, { kB: true }],
  ['all of server', 38, 30, { kB: true }],
  ['all of codec', 7.5, 6.5, { kB: true }],
];

const OTHER_CODECS = ['devalue', 'superjson', 'seroval', 'cbor-x', 'msgpackr', 'capnweb'];
const ladder = (kind: string, ...sizes: readonly string[]) => sizes.map((size) => `${kind}-${size}`);
const OTHER_PAYLOADS = [
  ...['rows-200', 'rows-distinct', 'numbers', 'number', 'short-string', 'map-set-date', 'cyclic', 'typed-arrays'],
  ...ladder('text', '1KiB', '16KiB', '256KiB', '1MiB'),
  ...ladder('rows', '64B', '16KiB', '256KiB', '1MiB'),
];
/** In either place. */
const CODECS: readonly RatioGoal[] = [
  ['small-object', 'JSON', 0.67, 1],
  ['text-64B', 'JSON', 0.5, 1],
  ['rows-1KiB', 'JSON', 0.8, 1],
  ['tree', 'JSON', 0.8, 1],
  ['text-60kB', 'JSON', 0.8, 1],
  [ladder('bytes', '64B', '1KiB', '16KiB', '256KiB', '1MiB'), OTHER_CODECS, 0.8, 1, { name: 'codec: bytes' }],
  [OTHER_PAYLOADS, OTHER_CODECS, 1 / 1.1, 1, { name: 'codec: other payloads' }],
];

function ratioGoal([scenarios, baselines, must, aim, more]: RatioGoal): Goal {
  return { scenarios: [scenarios].flat(), baselines: [baselines].flat(), must, aim, ...more };
}

/** Every bar, in the order of tables. */
const GOALS: readonly Goal[] = [
  ...RATIOS.map(ratioGoal),
  ...FIGURES.map(([scenario, must, aim, more]): Goal => ({ scenarios: [scenario], must, aim, most: true, ...more })),
  ...(['node', 'workerd'] as const).flatMap((host) => CODECS.map((goal): Goal => ({ ...ratioGoal(goal), host }))),
];

type Found = Pick<RunRecord, 'rows' | 'comparisons'>;

interface Measured {
  readonly value: number;
  readonly ci95: readonly [number, number];
  readonly open?: boolean;
  /** What it is the worst of. */
  readonly of: string;
}

/** Compares a run with the bars that it has figures for. */
export function barResults(run: Found): Bar[] {
  return GOALS.flatMap((goal) => {
    const { must, aim, most, scenarios, baselines, kB } = goal;
    const all = baselines ? ratiosOf(run, goal) : figuresOf(run, goal);
    if (all.length === 0) return [];
    const sign = most ? -1 : 1;
    const { value, ci95, open, of } = all.reduce((a, b) => (sign * b.value < sign * a.value ? b : a));
    const reached = (limit: number, figured = value) => sign * figured >= sign * limit;
    const unit = kB ? ' kB' : '';
    const text = (limit: number) => `${most ? '≤' : '≥'} ${Number(limit.toFixed(2))}${unit}`;
    // Three decimals of a ratio: one just below its bar must not look as if it had reached it.
    const told = baselines ? value.toFixed(3) : `${figure(value)}${unit}`;
    const spread = ci95[0] === ci95[1] ? '' : ` (${interval(ci95)})`;
    const met = reached(must, ci95[most ? 1 : 0]) ? 'met' : 'met, but the interval reaches below';
    return [
      {
        name: nameOf(goal),
        ...{ must: text(must), aim: `${text(aim)}: ${reached(aim) ? 'reached' : 'not yet'}` },
        measured: `${told}${spread}${scenarios.length > 1 ? `: ${of}` : ''}`,
        outcome: open ? 'no conclusion' : reached(must) ? met : 'missed',
      },
    ];
  });
}

function nameOf({ name, scenarios, subject = 'lumenize', baselines = [], host, detail, kB }: Goal): string {
  const variant = subject === 'lumenize' ? '' : ` by ${subject}`;
  const against = baselines.length > 1 ? 'the fastest other' : baselines.join();
  const words = `${kB ? 'gzip of ' : ''}${name ?? scenarios[0]}${variant}${detail ? `, ${detail}` : ''}`;
  return `${words}${against && `, against ${against}`}${host ? `, ${host}` : ''}`;
}

function ratiosOf({ comparisons }: Found, { host = 'workerd', scenarios, subject = 'lumenize', baselines }: Goal) {
  return comparisons
    .filter((each) => each.host === host && each.subject === subject)
    .filter(({ scenario, baseline }) => scenarios.includes(scenario) && baselines!.includes(baseline))
    .map(({ scenario, baseline, ratio: value, ci95, verdict }): Measured => {
      return { value, ci95, open: verdict === 'no conclusion', of: `${scenario} against ${baseline}` };
    });
}

function figuresOf({ rows }: Found, { scenarios: [name], detail, kB }: Goal): Measured[] {
  const row = rows.find(({ subject, scenario }) => subject === 'lumenize' && scenario === name);
  const value = detail === undefined ? row?.value : row?.detail?.[detail];
  if (value === undefined) return [];
  const [low, high] = (detail === undefined && row?.ci95) || [value, value];
  const per = kB ? 1000 : 1;
  return [{ value: value / per, ci95: [low / per, high / per], of: name }];
}

/** Lays bars out, a row each. */
export function barTable(bars: readonly Bar[]): Table {
  const rows = bars.map(({ name, outcome, must, aim = '', measured }) => [name, outcome, must, aim, measured]);
  return { head: ['bar', 'outcome', 'must', 'aim', 'measured'], rows };
}
