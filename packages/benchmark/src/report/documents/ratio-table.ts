import { interval, ratio } from '../../log/format.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { markdownTable } from './region.ts';

/** Scenarios by what a reader calls them: losses as well as gains, and one of each family. */
const ROWS: readonly (readonly [scenario: string, title: string])[] = [
  ['getValue/sequential', 'a read, one at a time'],
  ['increment/sequential', 'a write, one at a time'],
  ['increment/one-turn-100', '100 writes in one turn'],
  ['getValue/in-flight', '100 reads, 20 in flight'],
  ['connect/first-result', 'connecting, up to the first result'],
  ['pipeline/chain-3', 'a chain of three calls'],
  ['pipeline/map-100', '`map` over 100 elements'],
  ['pipeline/callback', 'a call that calls back'],
  ['echo/rows-200', '200 rows, there and back'],
  ['echo/bytes-1MiB', '1 MiB of bytes, there and back'],
  ['stream/down-64KiB', 'a stream from the object'],
  ['events/to-1', 'an event to one subscriber'],
  ['events/to-100', 'an event to 100'],
  ['events/to-1000', 'an event to 1000'],
  ['throughput/20x1', '20 connections, a call in flight on each'],
  ['throughput/20x8', '20 connections, 8 calls in flight on each'],
  ['wake/first-result', 'waking a hibernating object'],
];

const BASELINES = [
  ['capnweb', "Cap'n Web"],
  ['capnweb-plain', '– uncompressed'],
  ['raw', 'hand-written JSON'],
  ['raw-plain', '– uncompressed'],
] as const;

/** What there is in the place of sockets, each against the same thing done with something else. */
const ELSEWHERE = [
  ['call/getValue', 'lumenize-native', 'native', 'a read over a binding, against Workers RPC itself'],
  ['call/increment', 'lumenize-native', 'native', 'a write over a binding, against Workers RPC itself'],
  ['call/getValue', 'lumenize-http', 'capnweb-http', "a read by an HTTP batch, against Cap'n Web's"],
  ['call/getValue', 'lumenize-port', 'capnweb-port', "a read over a `MessagePort`, against Cap'n Web's"],
  ['call/getValue', 'lumenize-port', 'raw-port', 'a read over a `MessagePort`, against `postMessage` by hand'],
] as const;

/** Writes how many times as fast as others the library was over hibernating sockets on workerd. */
export function ratioTable(run: RecordedRun): string {
  const rows = ROWS.map(([scenario, title]) => [
    title,
    ...BASELINES.map(([baseline]) => ratioOf(run, scenario, 'lumenize', baseline)),
  ]);
  return markdownTable([['', ...BASELINES.map(([, title]) => title)], ...rows.filter(hasFigures)]);
}

/** Writes the same of what carries calls in the place of sockets. */
export function elsewhereTable(run: RecordedRun): string {
  const rows = ELSEWHERE.map(([scenario, subject, baseline, title]) => [
    title,
    ratioOf(run, scenario, subject, baseline),
  ]);
  return markdownTable([['in the place of sockets', 'times as fast'], ...rows.filter(hasFigures)]);
}

function ratioOf(run: RecordedRun, scenario: string, subject: string, baseline: string): string {
  const found = run.comparisons.find(
    (each) =>
      each.host === 'workerd' && each.scenario === scenario && each.subject === subject && each.baseline === baseline,
  );
  if (found === undefined) return '–';
  const { ratio: value, ci95, verdict } = found;
  if (verdict === 'no conclusion') return `${ratio(value)}, no conclusion`;
  return verdict === 'slower' ? `**${ratio(value)}** (${interval(ci95)})` : `${ratio(value)} (${interval(ci95)})`;
}

function hasFigures([, ...cells]: readonly string[]): boolean {
  return cells.some((cell) => cell !== '–');
}
