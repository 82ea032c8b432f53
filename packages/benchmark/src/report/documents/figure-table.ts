import type { Result } from '../../families/results.ts';
import { count } from '../../log/format.ts';
import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { figureResults } from '../figures.ts';
import { markdownTable } from './region.ts';

const SUBJECTS = [
  ['lumenize', 'Lumenize RPC'],
  ['capnweb', "Cap'n Web"],
  ['capnweb-plain', '– uncompressed'],
  ['raw', 'hand-written JSON'],
  ['raw-plain', '– uncompressed'],
] as const;

interface Row {
  readonly title: string;
  /** Returns what there is of a subject; undefined where that is nothing. */
  cell(run: RecordedRun, subject: string): string | undefined;
}

const ROWS: readonly Row[] = [
  { title: 'frames of a call, up + down', cell: (run, subject) => frames(run, subject) },
  {
    title: 'round trips of 100 writes in one turn, over 20 ms',
    cell: (run, subject) => roundTrips(run, 'remote/one-turn-100', subject),
  },
  {
    title: 'round trips to connect, up to the first result',
    cell: (run, subject) => roundTrips(run, 'remote/connect', subject),
  },
  { title: 'calls/s of one object, p99 within 10 ms', cell: (run, subject) => knee(run, 'noop-1-object', subject) },
  { title: '… that write a row', cell: (run, subject) => knee(run, 'insert-1-object', subject) },
  { title: 'memory of an idle connection, awake', cell: (run, subject) => memory(run, 'awake', subject) },
  { title: '… hibernating', cell: (run, subject) => memory(run, 'hibernating', subject) },
  { title: 'client, to connect and call, min + gzip', cell: (run, subject) => size(run, 'connect and call', subject) },
  { title: 'server, min + gzip', cell: (run, subject) => size(run, 'serve a target', subject) },
];

/** Writes what is no ratio of times: frames, round trips, loads, memory and sizes, each as it was measured. */
export function figureTable(run: RecordedRun): string {
  const rows = ROWS.map(({ title, cell }) => [title, ...SUBJECTS.map(([subject]) => cell(run, subject) ?? '–')]);
  return markdownTable([
    ['', ...SUBJECTS.map(([, title]) => title)],
    ...rows.filter(([, ...cells]) => cells.some((cell) => cell !== '–')),
  ]);
}

function frames(run: RecordedRun, subject: string): string | undefined {
  const found = find(run, 'workerd', 'increment/sequential', subject);
  if (!found || !('framesUp' in found)) return undefined;
  return `${count(found.framesUp!)} + ${count(found.framesDown!)}`;
}

function roundTrips(run: RecordedRun, scenario: string, subject: string): string | undefined {
  const found = figureResults(run).find((each) => each.host === 'workerd-cable' && isOf(each, scenario, subject));
  return found?.value.toFixed(1);
}

function knee(run: RecordedRun, scenario: string, subject: string): string | undefined {
  const found = find(run, 'workerd', `capacity/${scenario}`, subject);
  return found && 'kneePerSecond' in found ? found.kneePerSecond?.toLocaleString('en') : undefined;
}

/** As the platform has it: sockets whose compression is on take more, which is a scenario of its own. */
function memory(run: RecordedRun, state: string, subject: string): string | undefined {
  const [name, scenario] = subject.endsWith('-plain')
    ? [subject.replace('-plain', ''), `connection/${state}`]
    : [subject, `connection/${state}${subject === 'lumenize' ? '' : ', compressed'}`];
  const bytes = figure(find(run, 'workerd', scenario, name));
  return bytes === undefined ? undefined : `${(bytes / 1000).toFixed(0)} kB`;
}

function size(run: RecordedRun, scenario: string, subject: string): string | undefined {
  const bytes = figure(run.results.find((each) => each.family === 'size' && isOf(each, scenario, subject)));
  return bytes === undefined ? undefined : `${(bytes / 1000).toFixed(1)} kB`;
}

function find({ results }: RecordedRun, host: string, scenario: string, subject: string): Result | undefined {
  return results.find((each) => 'host' in each && each.host === host && isOf(each, scenario, subject));
}

function isOf(result: Result, scenario: string, subject: string): boolean {
  return 'scenario' in result && result.scenario === scenario && result.subject === subject;
}

function figure(result: Result | undefined): number | undefined {
  return result && 'value' in result ? result.value : undefined;
}
