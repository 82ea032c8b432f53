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

const OTHER_CODECS = ['devalue', 'superjson', 'seroval', 'cbor-x', 'msgpackr', 'capnweb'];
const cold = (what: string, must: number, aim: number, baseline = 'capnweb-plain') =>
  ratio(`cold/${what}`, baseline, must, aim);

/** Every bar, in the order of tables. */
const GOALS: readonly Goal[] = [
  cold('both/first-result', 1.15, 1.4),
  cold('both/first-result', 0.7, 0.85, 'floor'),
  cold('client/first-result', 1.1, 1.4),
  cold('server/first-result', 1.1, 1.4),
  cold('client/reads-2-to-11', 1.2, 1.5),
  cold('server/reads-2-to-11', 1.3, 1.8),
  cold('client/rows-1-to-5', 1.4, 2),
  cold('server/rows-1-to-5', 1.5, 2),
  cold('server/bytes-64KiB', 1.2, 2),
  cold('client/import', 1.1, 1.6),
  cold('server/import', 0.8, 1),
  ratio('getValue/sequential', 'raw-plain', 0.93, 1),
  ratio('increment/sequential', 'raw-plain', 0.97, 1),
  ratio('echo/rows-200', 'raw-plain', 0.82, 0.95),
  ratio('getValue/sequential', 'capnweb-plain', 1.3, 1.5),
  ratio('increment/sequential', 'capnweb-plain', 1.15, 1.3),
  ratio('getValue/sequential', 'capnweb', 1.2, 1.2),
  ratio('getValue/sequential', 'capnweb', 1.35, 1.35, { subject: 'lumenize-accept' }),
  ratio('increment/one-turn-100', 'capnweb', 20, 40),
  ratio('increment/one-turn-100', 'raw-one-frame', 0.9, 1),
  ratio('connect/first-result', 'raw-plain', 0.93, 1),
  ratio('wake/first-result', 'raw-plain', 0.92, 1),
  ratio('pipeline/chain-3', 'capnweb', 1.8, 1.8),
  ratio('echo/bytes-64KiB', 'capnweb', 4, 4),
  ratio('echo/bytes-1MiB', 'capnweb', 8, 8),
  ratio(['stream/down-64KiB', 'stream/up-64KiB'], 'capnweb', 2, 2, { name: 'streams' }),
  ratio('events/to-1', 'raw-plain', 0.85, 0.95),
  ratio('events/to-100', 'raw-plain', 0.95, 1.1),
  ratio('events/to-1000', 'raw-plain', 1, 1.1),
  ratio('events/to-1000', 'capnweb', 3, 3),
  ratio('throughput/20x1', 'capnweb-plain', 1.05, 1.15),
  ratio('call/getValue', 'native', 0.8, 0.95, { subject: 'lumenize-native' }),
  ratio('call/getValue', 'raw-port', 0.5, 0.7, { subject: 'lumenize-port' }),
  figureOf('increment/sequential', 1, 1, { detail: 'framesUp' }),
  figureOf('increment/sequential', 1, 1, { detail: 'framesDown' }),
  figureOf('increment/sequential', 20, 20, { detail: 'bytesUp' }),
  figureOf('increment/sequential', 10, 10, { detail: 'bytesDown' }),
  figureOf('connection/hibernating, ratio to raw', 1.1, 1.1),
  sizeOf('core alone', 9, 7),
  sizeOf('what Cap’n Web has', 12, 10),
  sizeOf('connect and call', 16, 13.5),
  sizeOf('serve a target', 24, 18.5),
  sizeOf('encode and decode', 5.5, 4.5),
  sizeOf('codec of the common types', 3.2, 2.5),
  ...(['node', 'workerd'] as const).flatMap((host) => [
    ratio(['bytes-1KiB'], OTHER_CODECS, 0.4, 1, { name: 'codec: 1 KiB of bytes', host }),
    ratio(['text-16KiB'], OTHER_CODECS, 0.5, 1, { name: 'codec: 16 KiB of text', host }),
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
