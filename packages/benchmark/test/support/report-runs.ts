import type { TimeResult } from '../../src/blocks/record.ts';
import type { CapacityResult } from '../../src/capacity/record.ts';
import type { FigureResult } from '../../src/families/figure-result.ts';
import { LINKS } from '../../src/links/link.ts';
import { BANDWIDTHS_MBIT, BASES_MS, linkName, modelledMs } from '../../src/profile/latency-model.ts';
import type { RecordedRun } from '../../src/recorded/recorded-run.ts';
import { encodeSamples } from '../../src/statistics/histogram.ts';
import { summarize } from '../../src/statistics/summary.ts';
import { comparison } from './fixed-run.ts';
import { recorded } from './recorded.ts';

type Figures = Pick<FigureResult, 'family' | 'scenario' | 'subject' | 'unit' | 'value'> & Partial<FigureResult>;

/** One figure on workerd, with an interval of a tenth each way. */
export function figure({ value, ...figures }: Figures): FigureResult {
  return { host: 'workerd', n: 6, ci95: [value * 0.9, value * 1.1], value, ...figures };
}

/** The times of `n` calls, from `ms` up to the thirtyfold of it. */
export function times(
  scenario: string,
  subject: string,
  ms: number,
  changes: Partial<TimeResult> = {},
  n = 2000,
): TimeResult {
  const samples = Array.from({ length: n }, (_, i) => ms * (1 + 29 * (i / n) ** 40));
  return {
    ...{ family: 'counter', scenario, subject, host: 'workerd', unit: 'ms', sample: 'call', ...summarize(samples) },
    ...{ opsPerSecond: 1000 / ms, launches: 6, blocks: n / 100, blockOperations: 100, blockMedianMs: 100 * ms },
    ...{ blockVariation: 0.1, samples: encodeSamples(samples), ...changes },
  };
}

const SUBJECTS = [
  ['lumenize', 1],
  ['capnweb', 1.4],
  ['raw', 1.05],
] as const;
/** As some families measure them too. */
const AND_PLAIN = [...SUBJECTS, ['capnweb-plain', 1.2], ['raw-plain', 0.9]] as const;

/** A run that has what every chart shows, with made-up figures. */
export function runOfEverything(changes: Partial<RecordedRun> = {}): RecordedRun {
  return recorded({
    profile: 'full',
    takenAt: '2026-11-22T00:00:00.000Z',
    commit: 'eee0000',
    results: [
      ...latency(),
      ...links(),
      ...memory(),
      ...features(),
      ...profiles(),
      ...modelled(),
      ...capacity(),
      ...sizes(),
      ...starts(),
      ...recorded().results,
    ],
    comparisons: [
      ...recorded().comparisons,
      comparison('getValue/sequential', 'capnweb-plain', 1.1, [1, 1.2], 'no difference shown'),
      comparison('getValue/sequential', 'raw-plain', 0.8, [0.7, 0.9], 'slower'),
      comparison('latency/ping', 'capnweb', 1.3, [1.2, 1.4], 'faster'),
      comparison('pipeline/chain-3', 'capnweb', 1.6, [1.5, 1.7], 'faster'),
      comparison('echo/bytes-64KiB', 'capnweb', 5, [4.5, 5.5], 'faster'),
      {
        ...comparison('call/getValue', 'capnweb-http', 0.95, [0.9, 1], 'no difference shown'),
        subject: 'lumenize-http',
      },
      comparison('throughput/20x8', 'capnweb', 2.2, [2.1, 2.3], 'faster'),
      comparison('throughput/20x1', 'capnweb', 1.1, [1, 1.2], 'no difference shown'),
      comparison('events/to-1', 'capnweb', 1.2, [1.1, 1.3], 'faster'),
      comparison('events/to-1000', 'capnweb', 5, [4.5, 5.5], 'faster'),
      { ...comparison('rows-200', 'JSON', 1.3, [1.25, 1.35], 'faster'), family: 'values' },
      { ...comparison('rows-200', 'devalue', 0.8, [0.7, 0.9], 'slower'), family: 'values' },
      { ...comparison('rows-200', 'v8', 0.5, [0.45, 0.55], 'slower'), family: 'values' },
    ],
    ...changes,
  });
}

function latency(): TimeResult[] {
  const scenarios = ['getValue/sequential', 'increment/sequential', 'latency/ping', 'latency/create-session'];
  const scenariosOf = [...scenarios, 'latency/connect-authenticate-first-result', 'connect/first-result'];
  const wire = { framesUp: 1, framesDown: 1, bytesUp: 16, bytesDown: 5 };
  return scenariosOf.flatMap((scenario, i) =>
    AND_PLAIN.map(([subject, factor]) => times(scenario, subject, 0.1 * (i + 1) * factor, wire)),
  );
}

function links(): TimeResult[] {
  const scenarios = ['getValue', 'increment', 'one-turn-100', 'connect', 'chain-3', '20-in-flight'];
  return Object.entries(LINKS).flatMap(([name, { rttMs }]) =>
    scenarios.flatMap((scenario, i) =>
      SUBJECTS.filter(([subject]) => scenario !== 'chain-3' || subject !== 'raw').map(([subject, factor]) =>
        times(`remote/${scenario}`, subject, rttMs * factor * (1 + i / 3), {
          family: 'links',
          host: `workerd-${name}` as TimeResult['host'],
        }),
      ),
    ),
  );
}

function sizes(): FigureResult[] {
  const of = (scenario: string, subject: string, value: number) =>
    figure({ family: 'size', scenario, subject, unit: 'B', value, host: 'browser' as FigureResult['host'] });
  return [
    ...[of('connect and call', 'lumenize', 7900), of('connect and call', 'capnweb', 15_000)],
    ...[of('when needed: answering', 'lumenize', 4000), of('when needed: channels', 'lumenize', 5000)],
    ...[of('all of client', 'lumenize', 30_000), of('all of client', 'capnweb', 16_000)],
  ];
}

function starts(): FigureResult[] {
  const of = (scenario: string, subject: string, value: number) =>
    figure({ family: 'start', scenario, subject, unit: 'ms', value });
  return [
    ...[of('import/client', 'lumenize', 20), of('import/client', 'capnweb', 8)],
    ...[of('start/first-call', 'lumenize', 300), of('start/first-call', 'raw-accept', 310)],
    { ...of('wake/first-result', 'lumenize', 1.5), ci95: [-0.1, 3] },
    ...[of('reconnect/resumed', 'lumenize', 26), of('reconnect/new-session', 'capnweb', 7)],
    figure({ family: 'start', scenario: 'update/increments', subject: 'capnweb', unit: 'calls lost', value: 5 }),
  ];
}

function memory(): FigureResult[] {
  const subjects = ['lumenize', 'lumenize-accept', 'capnweb', 'raw', 'raw-accept'];
  return ['connection/awake', 'connection/hibernating'].flatMap((scenario, i) =>
    subjects
      .filter((subject) => i === 0 || subject === 'lumenize' || subject === 'raw')
      .map((subject, j) =>
        figure({ family: 'memory', scenario, subject, unit: 'B/connection', value: (20_000 + 3000 * j) / (1 + i) }),
      ),
  );
}

function features(): FigureResult[] {
  return ['one-at-a-time', 'one-turn-100'].flatMap((name, i) =>
    ['authentication', 'validation', 'rate-limit', 'exactly-once', 'all'].map((subject, j) =>
      figure({
        ...{ family: 'feature-cost', scenario: `feature-cost/${name}/added`, subject, unit: 'us' },
        ...{ value: 12 * j - 2 + i, ci95: [12 * j - 6 + i, 12 * j + 5 + i] },
      }),
    ),
  );
}

/** Calls answered in half a ms until the server is full, and later and later from there on. */
function capacity(): CapacityResult[] {
  return (['noop', 'insert'] as const).flatMap((method, i) =>
    [1, 16].flatMap((objects, j) =>
      AND_PLAIN.map(([subject, factor]): CapacityResult => {
        const knee = (12_000 * (1 + j / 3)) / factor / (1 + 4 * i);
        const rungs = [0.5, 0.63, 0.8, 1, 1.1, 1.3].map((load) => rung(knee * load, load));
        const ladder = { launch: 0, repeat: 0, kneePerSecond: knee, firstOverloadPerSecond: 1.1 * knee, rungs };
        return {
          ...{ family: 'capacity', scenario: `capacity/${method}-${objects}-objects`, subject, host: 'workerd' },
          ...{ unit: 'calls/s', method, objects, connections: 32, rungMs: 400 },
          ...{ objective: { p99Ms: 10, completedShare: 0.99 }, kneePerSecond: knee, ladders: [ladder] },
        };
      }),
    ),
  );
}

function rung(offeredPerSecond: number, load: number): CapacityResult['ladders'][number]['rungs'][number] {
  const beyond = Math.max(0, load - 1);
  return {
    ...{ offeredPerSecond, arrivals: 400, completedPerSecond: Math.min(1, 1 / load) * offeredPerSecond },
    ...{ completedShare: Math.min(1, 1 / load), p50Ms: 0.5 + 300 * beyond, p99Ms: 2 * load + 1500 * beyond },
    ...{ maxMs: 3 + 2000 * beyond, errors: 0, lateShare: 0, latestMs: 1, reasons: beyond > 0 ? ['p99'] : [] },
  };
}

function profiles(): FigureResult[] {
  return ['getValue', 'increment', 'one-turn-100', 'chain-3', 'echo-rows-200', 'connect'].flatMap((name, i) =>
    SUBJECTS.map(([subject, factor]) => {
      const steps = [
        'Call',
        'Encode',
        'Framing',
        'Send',
        'Receive',
        'Decode',
        'Dispatch',
        'Execute',
        'Reply',
        'Native',
      ];
      const detail = Object.fromEntries(
        ['client', 'server'].flatMap((side) =>
          steps.map((step, j) => [`${side}${step}Us`, factor * (2 + i + (j % 3))]),
        ),
      );
      return figure({ family: 'profile', scenario: `profile/${name}`, subject, unit: 'us', value: 50, detail });
    }),
  );
}

function modelled(): FigureResult[] {
  return ['getValue', 'echo-rows-200'].flatMap((name) =>
    SUBJECTS.map(([subject, factor]) => {
      const links = BASES_MS.flatMap((baseMs) => BANDWIDTHS_MBIT.map((mbitPerSecond) => ({ baseMs, mbitPerSecond })));
      const cost = { roundTrips: 1, bytes: 900 * factor, processingUs: 200 * factor };
      const detail = Object.fromEntries(links.map((link) => [linkName(link), modelledMs(cost, link)]));
      return figure({ family: 'profile', scenario: `modelled/${name}`, subject, unit: 'ms', value: 50, detail });
    }),
  );
}
