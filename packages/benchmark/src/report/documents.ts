import type { RunRecord } from '../engine/record.ts';
import { scenarioName, withNames } from './names.ts';
import { comparisonKey, hashOf, takenWhen } from './record.ts';
import { figure, interval, markdownTable, ratio } from './tables.ts';

type Titled = readonly (readonly [key: string, title: string])[];

const PEERS: Titled = [
  ['capnweb', "Cap'n Web"],
  ['capnweb-plain', '– uncompressed'],
  ['raw-plain', 'hand-written JSON (uncompressed)'],
];

/** Scenarios for readers, losses as well as gains. The page of the run has all scenarios. */
const CALLS: Titled = [
  ...['getValue/sequential', 'increment/sequential', 'increment/one-turn-100', 'connect/first-result'],
  ...['cold/both/first-result', 'wake/first-result', 'echo/rows-200', 'events/to-1', 'events/to-1000'],
].map((key) => [key, scenarioName(key)]);

const FRAMES = 'workerd increment/sequential';
/** Figures that are not ratios of times, by place and scenario. */
const FIGURES: Titled = [
  [FRAMES, 'frames of a call, up + down'],
  ['workerd connection/hibernating', 'memory of an idle connection, hibernating'],
  ['connect and call', 'client, to connect and call, min + gzip'],
  ['serve a target', 'server, min + gzip'],
];

/** Functions that write the regions of the README, by the names of the regions. */
const REGIONS: Readonly<Record<string, (run: RunRecord) => string>> = {
  figures: (run) => `${headOf(run)}\n\n${mainTable(run)}`,
  missed: missedBars,
};

/** Returns the README with the figures of a run. Throws if one of its regions is missing. */
export function readmeOf(run: RunRecord, readme: string): string {
  return Object.entries(REGIONS).reduce((text, [name, write]) => withRegion(text, name, write(run)), readme);
}

/**
 * Replaces the content of a document's region, which is enclosed by comments with its name. Throws if there is no such
 * region.
 */
export function withRegion(document: string, name: string, content: string): string {
  const [before, after] = [`<!-- ${name}: npm run report -->`, `<!-- /${name} -->`];
  const begin = document.indexOf(before);
  const end = document.indexOf(after, begin);
  if (begin < 0 || end < 0) throw new Error(`there is no region ${before} … ${after}`);
  return `${document.slice(0, begin + before.length)}\n${content}\n${document.slice(end)}`;
}

/** Returns the content of a cell, if there is any. */
type Cell = (row: string, column: string) => string | undefined;

function mainTable(run: RunRecord): string {
  const columns: Titled = [['lumenize', 'Lumenize RPC'], ...PEERS];
  const written = (rows: Titled, cell: Cell) =>
    rows
      .map(([row, title]) => [title, ...columns.map(([column]) => cell(row, column) ?? '–')])
      .filter(([, ...cells]) => cells.some((each) => each !== '–'));
  const rows = [...written(CALLS, ratioOf(run)), ...written(FIGURES, figureOf(run))];
  return markdownTable({ head: ['what', ...columns.map(([, title]) => title)], rows });
}

/** Returns a function that formats ratios, with losses in bold. */
function ratioOf({ comparisons }: RunRecord): Cell {
  return (scenario, baseline) => {
    const wanted = comparisonKey({ host: 'workerd', scenario, subject: 'lumenize', baseline });
    const found = comparisons.find((each) => each.subject !== each.baseline && comparisonKey(each) === wanted);
    if (!found) return undefined;
    const { ratio: value, ci95, verdict } = found;
    if (verdict === 'no conclusion') return `${ratio(value)}, no conclusion`;
    return `${verdict === 'slower' ? `**${ratio(value)}**` : ratio(value)} (${interval(ci95)})`;
  };
}

function figureOf({ rows }: RunRecord): Cell {
  return (row, column) => {
    // Memory is measured without compression, and compression has scenarios of its own. The other figures are
    // compressed, as on the platform.
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

/** Names everything that missed a bar, regardless of the baseline. For codecs, gives the number. */
function missedBars({ bars }: RunRecord): string {
  const isOfCodec = ({ name }: { readonly name: string }) => /, (node|workerd)$/.test(name);
  const missed = bars.filter(({ outcome }) => outcome === 'missed');
  const own = missed
    .filter((bar) => !isOfCodec(bar))
    .map(({ name }) => scenarioName(withNames(name).split(', against')[0]));
  const ofCodec = `the codec by itself in ${missed.filter(isOfCodec).length} of ${bars.filter(isOfCodec).length}`;
  return `${[...new Set(own), ofCodec].join('; ')}: [by how much](measurements/README.md#bars).`;
}

function headOf(run: RunRecord): string {
  const { cpu, cores, node, workerd, capnweb } = run.environment;
  return (
    `From the newest full entry of [MEASUREMENTS.md](MEASUREMENTS.md), ${takenWhen(run)}: commit ${hashOf(run)}, workerd ` +
    `${workerd}, Cap'n Web ${capnweb}, Node ${node}, ${cores} cores of an ${cpu}.`
  );
}
