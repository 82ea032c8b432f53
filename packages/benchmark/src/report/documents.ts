import type { Place } from '@lumenize/hosts/host';
import type { RunRecord } from '../engine/record.ts';
import { comparisonKey, hashOf, takenWhen } from './record.ts';
import { figure, interval, markdownTable, ratio } from './tables.ts';

type Titled = readonly (readonly [key: string, title: string])[];

const PEERS: Titled = [
  ['capnweb', "Cap'n Web"],
  ['capnweb-plain', '– uncompressed'],
  ['raw-plain', 'JSON by hand, uncompressed'],
];

/** Scenarios by what a reader calls them: losses as well as gains. The page of the run has all. */
const CALLS: Titled = [
  ['getValue/sequential', 'a read, one at a time'],
  ['increment/sequential', 'a write, one at a time'],
  ['increment/one-turn-100', '100 writes in one turn'],
  ['connect/first-result', 'connecting, up to the first result'],
  ['cold/both/first-result', '… of a fresh client to a fresh server'],
  ['wake/first-result', 'waking a hibernating object'],
  ['echo/rows-200', '200 rows, there and back'],
  ['events/to-1', 'an event to one subscriber'],
  ['events/to-1000', '… to 1000'],
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

const FRAMES = 'workerd increment/sequential';
/** What is no ratio of times, by place and scenario. */
const FIGURES: Titled = [
  [FRAMES, 'frames of a call, up + down'],
  ['workerd connection/hibernating', 'memory of an idle connection, hibernating'],
  ['connect and call', 'client, to connect and call, min + gzip'],
  ['serve a target', 'server, min + gzip'],
];

type Writer = (run: RunRecord) => string;

/** What is written into which document, by the names of its regions. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, Writer>>>> = {
  'README.md': {
    figures: (run) => `${headOf(run, '')}\n\n${mainTable(run)}`,
    missed: missedBars,
  },
  'docs/benchmarks.md': {
    elsewhere: (run) => pivot(ELSEWHERE, OTHERS, ratioOf(run, 'workerd')),
    codecs: (run) => pivot(quoted(PAYLOADS), quoted(CODECS), ratioOf(run, 'node')),
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
    let text = read(path);
    if (text === undefined) continue;
    for (const [name, write] of Object.entries(regions)) text = withRegion(text, name, write(run));
    documents.set(path, text);
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

type Cell = (row: string, column: string) => string | undefined;

function pivot(rows: Titled, columns: Titled, cell: Cell): string {
  const lines = rows.map(([row, title]) => [title, ...columns.map(([column]) => cell(row, column) ?? '–')]);
  const found = lines.filter(([, ...cells]) => cells.some((each) => each !== '–'));
  return markdownTable({ head: ['what', ...columns.map(([, title]) => title)], rows: found });
}

function mainTable(run: RunRecord): string {
  const [ratios, figures] = [ratioOf(run, 'workerd'), figureOf(run)];
  return pivot([...CALLS, ...FIGURES], [['lumenize', 'Lumenize RPC'], ...PEERS], (row, column) =>
    FIGURES.some(([each]) => each === row) ? figures(row, column) : ratios(row, column),
  );
}

/** Returns what writes ratios of a place, losses in bold. */
function ratioOf({ comparisons }: RunRecord, host: Place): Cell {
  return (row, baseline) => {
    const [scenario, subject = 'lumenize'] = row.split(' ');
    const wanted = comparisonKey({ host, scenario, subject, baseline });
    const found = comparisons.find((each) => each.subject !== each.baseline && comparisonKey(each) === wanted);
    if (!found) return undefined;
    const { ratio: value, ci95, verdict } = found;
    if (verdict === 'no conclusion') return `${ratio(value)}, no conclusion`;
    return `${verdict === 'slower' ? `**${ratio(value)}**` : ratio(value)} (${interval(ci95)})`;
  };
}

function figureOf({ rows }: RunRecord): Cell {
  return (row, column) => {
    // Memory is measured without compression, which has scenarios of its own: as the platform has it, others are compressed.
    const isPlain = !row.includes('connection/') || column === 'lumenize';
    const subject = isPlain ? column : column.replace('-plain', '');
    const key = isPlain || column.endsWith('-plain') ? row : `${row}, compressed`;
    const own = rows.find((each) => each.subject === subject && `${each.host} ${each.scenario}`.endsWith(key));
    const { value, unit = '', detail = {} } = own ?? {};
    if (row === FRAMES) return detail.framesUp === undefined ? undefined : `${detail.framesUp} + ${detail.framesDown}`;
    if (value === undefined) return undefined;
    return unit.startsWith('B') ? `${figure(value / 1000)} kB` : figure(value);
  };
}

/** Names the bars that were missed; of those of codecs, how many. */
function missedBars({ bars }: RunRecord): string {
  const isOfCodec = ({ name }: { readonly name: string }) => /, (node|workerd)$/.test(name);
  const missed = bars.filter(({ outcome }) => outcome === 'missed');
  const own = missed.filter((bar) => !isOfCodec(bar));
  const names = own.map(({ name, must, measured }) => `**${name}**: ${measured}, must be ${must}`);
  const ofCodec = missed.length - own.length;
  if (ofCodec > 0)
    names.push(`**the codec by itself**: ${ofCodec} of ${bars.filter(isOfCodec).length} bars against others`);
  return names.length > 0 ? `${names.join('; ')}.` : 'None, in this entry.';
}

function headOf(run: RunRecord, up: string): string {
  const { cpu, cores, node, workerd, capnweb } = run.environment;
  return (
    `From the newest full entry of [MEASUREMENTS.md](${up}MEASUREMENTS.md), ${takenWhen(run)}: commit ${hashOf(run)}, workerd ` +
    `${workerd}, Cap'n Web ${capnweb}, Node ${node}, ${cores} cores of an ${cpu}.`
  );
}
