import type { Place } from '@lumenize/hosts/host';
import type { Bar, RunRecord } from '../engine/record.ts';
import { figure, interval } from './tables.ts';

type Found = Pick<RunRecord, 'rows' | 'comparisons'>;

/** A figure of a run, and its description. */
interface Measured {
  readonly value: number;
  readonly ci95: readonly [number, number];
  readonly open?: boolean;
  readonly of?: string;
}

/** A goal: the minimum of its figure, the aim, and how the figure is found. Of several figures the worst counts. */
interface Goal {
  readonly name: string;
  readonly must: number;
  readonly aim: number;
  /** True if `must` is a maximum. @default a minimum */
  readonly most?: true;
  /** The unit, which follows figures. */
  readonly unit: string;
  write(value: number): string;
  find(run: Found): readonly Measured[];
}

/** Returns a goal for a ratio of `lumenize` or another subject, in workerd if no host is named. */
function ratio(
  scenarios: string | readonly string[],
  baselines: string | readonly string[],
  must: number,
  aim: number,
  { name = [scenarios].flat()[0], subject = 'lumenize', host }: { name?: string; subject?: string; host?: Place } = {},
): Goal {
  const by = subject === 'lumenize' ? '' : ` by ${subject}`;
  const against = typeof baselines === 'string' ? baselines : 'the fastest other';
  return {
    ...{ name: `${name}${by}, against ${against}${host ? `, ${host}` : ''}`, must, aim, unit: '' },
    // Three decimals, so that a ratio just below its bar does not look as if it had reached it.
    write: (value) => value.toFixed(3),
    find: ({ comparisons }) =>
      comparisons
        .filter((each) => each.host === (host ?? 'workerd') && each.subject === subject)
        .filter((each) => [scenarios].flat().includes(each.scenario) && [baselines].flat().includes(each.baseline))
        .map(({ scenario, baseline, ratio: value, ci95, verdict }) => ({
          ...{ value, ci95, open: verdict === 'no conclusion' },
          ...(typeof scenarios !== 'string' && { of: `${scenario} against ${baseline}` }),
        })),
  };
}

/**
 * Returns a goal for a figure of `lumenize` that must be low, in any place. It is the value of a row, or one of its
 * details.
 */
function figureOf(
  scenario: string,
  must: number,
  aim: number,
  { detail = '', name = scenario, unit = '', per = 1 } = {},
): Goal {
  return {
    ...{ name: detail ? `${name}, ${detail}` : name, must, aim, most: true, unit, write: figure },
    find({ rows }) {
      const row = rows.find((each) => each.subject === 'lumenize' && each.scenario === scenario);
      const value = detail ? row?.detail?.[detail] : row?.value;
      if (value === undefined) return [];
      const [low, high] = (!detail && row?.ci95) || [value, value];
      return [{ value: value / per, ci95: [low / per, high / per] }];
    },
  };
}

/** Returns a goal for a size in kB. */
const sizeOf = (scenario: string, must: number, aim: number) =>
  figureOf(scenario, must, aim, { name: `gzip of ${scenario}`, unit: ' kB', per: 1000 });

const early = (fresh: string) =>
  ['reads-2-to-11', 'rows-1-to-5', 'rows-6-to-25'].map((calls) => `cold/${fresh}/${calls}`);

const OTHER_CODECS = ['devalue', 'superjson', 'seroval', 'cbor-x', 'msgpackr', 'capnweb'];
const ladder = (kind: string, ...sizes: readonly string[]) => sizes.map((size) => `${kind}-${size}`);
const OTHER_PAYLOADS = [
  ...['rows-200', 'rows-distinct', 'numbers', 'number', 'short-string', 'map-set-date', 'cyclic', 'typed-arrays'],
  ...[...ladder('text', '1KiB', '16KiB', '256KiB', '1MiB'), ...ladder('rows', '64B', '16KiB', '256KiB', '1MiB')],
];

/** Every bar, in the order of tables. */
const GOALS: readonly Goal[] = [
  ratio('getValue/sequential', 'capnweb', 1.2, 1.2),
  ratio('getValue/sequential', 'capnweb-plain', 1.3, 1.45),
  ratio('getValue/sequential', 'raw-plain', 0.92, 0.97),
  ratio('increment/sequential', 'raw-plain', 0.95, 1),
  ratio('increment/one-turn-100', 'capnweb', 15, 40),
  ratio('increment/one-turn-100', 'raw-one-frame', 0.9, 1),
  ratio('connect/first-result', 'raw-plain', 0.92, 1),
  ratio('cold/both/first-result', 'capnweb-plain', 1, 1.2),
  ratio('pipeline/chain-3', 'capnweb', 1.8, 1.8),
  ratio('echo/rows-200', 'capnweb', 2, 2),
  ratio('echo/rows-200', 'capnweb-plain', 1.6, 2),
  ratio('echo/rows-200', 'raw-plain', 0.85, 1),
  ratio('echo/bytes-64KiB', 'capnweb', 4, 4),
  ratio('echo/bytes-1MiB', 'capnweb', 8, 8),
  ratio('events/to-1', 'raw-plain', 0.8, 0.95),
  ratio('events/to-100', 'raw-plain', 0.95, 1.1),
  ratio('events/to-1000', 'raw-plain', 1, 1.1),
  ratio('events/to-1000', 'capnweb', 3, 3),
  ratio('throughput/20x1', 'capnweb-plain', 1.05, 1.15),
  ratio('wake/first-result', 'raw-plain', 0.92, 1),
  ratio('getValue/sequential', 'capnweb', 1.35, 1.35, { subject: 'lumenize-accept' }),
  ratio('call/getValue', 'native', 0.8, 0.95, { subject: 'lumenize-native' }),
  ratio('call/getValue', 'raw-port', 0.5, 0.7, { subject: 'lumenize-port' }),
  ratio(early('client'), 'capnweb-plain', 1.1, 1.4, { name: 'early calls of a fresh client' }),
  ratio(early('server'), 'capnweb-plain', 1.2, 1.5, { name: 'early calls of a fresh server' }),
  figureOf('increment/sequential', 1, 1, { detail: 'framesUp' }),
  figureOf('increment/sequential', 1, 1, { detail: 'framesDown' }),
  figureOf('increment/sequential', 20, 20, { detail: 'bytesUp' }),
  figureOf('increment/sequential', 10, 10, { detail: 'bytesDown' }),
  figureOf('connection/hibernating, ratio to raw', 1.1, 1.1),
  sizeOf('core alone', 11, 9.5),
  sizeOf('what Cap’n Web has', 15, 14),
  sizeOf('connect and call', 22, 19),
  sizeOf('serve a target', 38, 30),
  sizeOf('encode and decode', 7.5, 6.5),
  sizeOf('codec of the common types', 5, 4.5),
  ...(['node', 'workerd'] as const).flatMap((host) => [
    ratio('small-object', 'JSON', 0.67, 1, { host }),
    ratio('text-64B', 'JSON', 0.5, 1, { host }),
    ratio('rows-1KiB', 'JSON', 0.8, 1, { host }),
    ratio('tree', 'JSON', 0.8, 1, { host }),
    ratio('text-60kB', 'JSON', 0.8, 1, { host }),
    ratio(ladder('bytes', '64B', '1KiB', '16KiB', '256KiB', '1MiB'), OTHER_CODECS, 0.8, 1, {
      ...{ name: 'codec: bytes', host },
    }),
    ratio(OTHER_PAYLOADS, OTHER_CODECS, 1 / 1.1, 1, { name: 'codec: other payloads', host }),
  ]),
];

/** Compares a run with the bars that it has figures for. */
export function barResults(run: Found): Bar[] {
  return GOALS.flatMap(({ name, must, aim, most, unit, write, find }) => {
    const sign = most ? -1 : 1;
    const [worst] = find(run).toSorted((a, b) => sign * (a.value - b.value));
    if (!worst) return [];
    const { value, ci95, open, of } = worst;
    const reached = (limit: number, figured = value) => sign * figured >= sign * limit;
    const text = (limit: number) => `${most ? '≤' : '≥'} ${Number(limit.toFixed(2))}${unit}`;
    const spread = ci95[0] === ci95[1] ? '' : ` (${interval(ci95)})`;
    const met = reached(must, ci95[most ? 1 : 0]) ? 'met' : 'met, but the interval reaches below';
    return [
      {
        ...{ name, must: text(must), aim: `${text(aim)}: ${reached(aim) ? 'reached' : 'not yet'}` },
        measured: `${write(value)}${unit}${spread}${of ? `: ${of}` : ''}`,
        outcome: open ? 'no conclusion' : reached(must) ? met : 'missed',
      },
    ];
  });
}
