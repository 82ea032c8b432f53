import type { Place } from '@lumenize/hosts/host';
import type { RunRecord } from '../engine/record.ts';
import { hashOf, takenWhen } from './record.ts';
import { figure, interval, markdownTable, ratio } from './tables.ts';

type Titled = readonly (readonly [key: string, title: string])[];

const PEERS: Titled = [
  ['capnweb', "Cap'n Web"],
  ['capnweb-plain', '– uncompressed'],
  ['raw-plain', 'JSON by hand, uncompressed'],
];

/** Scenarios by what a reader calls them: losses as well as gains, and one of each family. */
const CALLS: Titled = [
  ['getValue/sequential', 'a read, one at a time'],
  ['increment/sequential', 'a write, one at a time'],
  ['increment/one-turn-100', '100 writes in one turn'],
  ['connect/first-result', 'connecting, up to the first result'],
  ['pipeline/chain-3', 'a chain of three calls'],
  ['echo/rows-200', '200 rows, there and back'],
  ['echo/bytes-1MiB', '1 MiB of bytes, there and back'],
  ['events/to-1', 'an event to one subscriber'],
  ['events/to-1000', 'an event to 1000'],
  ['throughput/20x1', '20 connections, a call in flight on each'],
  ['wake/first-result', 'waking a hibernating object'],
  ['cold/both/first-result', 'a fresh client and server, first result'],
  ['cold/client/rows-1-to-5', 'a fresh client, 200 rows, calls 1 to 5'],
  ['cold/server/rows-1-to-5', 'a fresh server, 200 rows, calls 1 to 5'],
];

/** What there is in the place of sockets: a scenario and a subject, against the same thing done with something else. */
const ELSEWHERE: Titled = [
  ['call/getValue lumenize-native', 'a read over a binding'],
  ['call/increment lumenize-native', 'a write over a binding'],
  ['call/getValue lumenize-http', 'a read by an HTTP batch'],
  ['call/getValue lumenize-port', 'a read over a `MessagePort`'],
];
const OTHERS: Titled = [
  ['native', 'Workers RPC'],
  ['raw-port', '`postMessage` by hand'],
  ['capnweb-http', "Cap'n Web over HTTP"],
  ['capnweb-port', "Cap'n Web over a port"],
];

/** Some of many: the page has the others. */
const PAYLOADS = ['rows-200', 'tree', 'text-60kB', 'small-object', 'map-set-date', 'rows-1KiB', 'bytes-1MiB'];
const CODECS = ['JSON', 'devalue', 'superjson', 'seroval', 'cbor-x', 'msgpackr', 'capnweb'];

/** What is no ratio of times, by place and scenario. */
const FIGURES: Titled = [
  ['workerd-cable remote/one-turn-100/round-trips', 'round trips of 100 writes in one turn, over 20 ms'],
  ['workerd capacity/noop-1-object', 'calls/s of one object, p99 within 10 ms'],
  ['workerd connection/awake', 'memory of an idle connection, awake'],
  ['workerd connection/hibernating', '… hibernating'],
  ['connect and call', 'client, to connect and call, min + gzip'],
  ['serve a target', 'server, min + gzip'],
];

/** What is written into which document, by the names of its regions. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, (run: RunRecord) => string>>>> = {
  'README.md': {
    ratios: (run) => ratioTable(run, 'workerd', CALLS, PEERS),
    figures: figureTable,
    missed: missedBars,
    entry: (run) => headOf(run, ''),
  },
  'docs/benchmarks.md': {
    elsewhere: (run) => ratioTable(run, 'workerd', ELSEWHERE, OTHERS),
    codecs: (run) => ratioTable(run, 'node', quoted(PAYLOADS), quoted(CODECS)),
    entry: (run) => headOf(run, '../'),
  },
};

/**
 * Writes the figures of a run into the documents that `read` finds, and returns them by their paths. Throws where a
 * document lacks one of its regions.
 */
export function documentsOf(run: RunRecord, read: (path: string) => string | undefined): Map<string, string> {
  const documents = new Map<string, string>();
  for (const [path, regions] of Object.entries(DOCUMENTS)) {
    const text = read(path);
    if (text === undefined) continue;
    const filled = Object.entries(regions).reduce((all, [name, write]) => withRegion(all, name, write(run)), text);
    documents.set(path, filled);
  }
  return documents;
}

/** Writes content into the part of a document that comments of this name enclose. Throws where there is none. */
export function withRegion(document: string, name: string, content: string): string {
  const [before, after] = [`<!-- ${name}: npm run report -->`, `<!-- /${name} -->`];
  const begin = document.indexOf(before);
  const end = document.indexOf(after, begin);
  if (begin < 0 || end < 0) throw new Error(`there is no region ${before} … ${after}`);
  return `${document.slice(0, begin + before.length)}\n${content}\n${document.slice(end)}`;
}

function quoted(names: readonly string[]): Titled {
  return names.map((name) => [name, `\`${name}\``]);
}

function pivot(rows: Titled, columns: Titled, cell: (row: string[], column: string) => string | undefined): string {
  const lines = rows.map(([row, title]) => [title, ...columns.map(([column]) => cell(row.split(' '), column) ?? '–')]);
  const found = lines.filter(([, ...cells]) => cells.some((each) => each !== '–'));
  return markdownTable({ head: ['what', ...columns.map(([, title]) => title)], rows: found });
}

/** Writes ratios of a place, losses in bold. */
function ratioTable({ comparisons }: RunRecord, host: Place, rows: Titled, columns: Titled): string {
  return pivot(rows, columns, ([scenario, subject = 'lumenize'], baseline) => {
    const own = comparisons.filter((each) => each.host === host && each.scenario === scenario);
    const found = own.find((each) => each.subject === subject && each.baseline === baseline);
    if (!found) return undefined;
    const { ratio: value, ci95, verdict } = found;
    if (verdict === 'no conclusion') return `${ratio(value)}, no conclusion`;
    return `${verdict === 'slower' ? `**${ratio(value)}**` : ratio(value)} (${interval(ci95)})`;
  });
}

function figureTable({ rows }: RunRecord): string {
  const frames = ['workerd increment/sequential', 'frames of a call, up + down'] as const;
  return pivot([frames, ...FIGURES], [['lumenize', 'Lumenize RPC'], ...PEERS], (row, column) => {
    const [subject, key] = columnOf(row.join(' '), column);
    const own = rows.find((each) => each.subject === subject && `${each.host} ${each.scenario}`.endsWith(key));
    const { value, unit = '', detail = {} } = own ?? {};
    if (row[1] === 'increment/sequential')
      return detail.framesUp === undefined ? undefined : `${detail.framesUp} + ${detail.framesDown}`;
    if (value === undefined) return undefined;
    return unit.startsWith('B') ? `${figure(value / 1000)} kB` : figure(value);
  });
}

/** Memory is measured without compression, which has scenarios of its own: as the platform has it, others are compressed. */
function columnOf(key: string, subject: string): [subject: string, key: string] {
  if (!key.includes('connection/') || subject === 'lumenize') return [subject, key];
  return subject.endsWith('-plain') ? [subject.replace('-plain', ''), key] : [subject, `${key}, compressed`];
}

/** Lists the bars that were missed; of those of codecs, how many. */
function missedBars({ bars }: RunRecord): string {
  const isOfCodec = ({ name }: { readonly name: string }) => /, (node|workerd)$/.test(name);
  const missed = bars.filter(({ outcome }) => outcome === 'missed');
  const lines = missed
    .filter((bar) => !isOfCodec(bar))
    .map(({ name, must, measured }) => `- **${name}**: ${measured}, must be ${must}`);
  const open = missed.filter(isOfCodec).length;
  if (open > 0)
    lines.push(`- **the codec by itself**: ${open} of ${bars.filter(isOfCodec).length} bars against others`);
  return lines.length > 0 ? lines.join('\n') : 'None, in this entry.';
}

function headOf(run: RunRecord, up: string): string {
  const { cpu, cores, node, workerd, capnweb } = run.environment;
  return (
    `From the newest full entry of [MEASUREMENTS.md](${up}MEASUREMENTS.md), ${takenWhen(run)}: commit ${hashOf(run)}, workerd ` +
    `${workerd}, Cap'n Web ${capnweb}, Node ${node}, ${cores} cores of an ${cpu}.`
  );
}
