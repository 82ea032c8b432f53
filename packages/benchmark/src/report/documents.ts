import type { RunRecord } from '../engine/record.ts';
import { scenarioName } from './names.ts';
import { hashOf, takenWhen } from './record.ts';
import { figure, interval, markdownTable, ratio } from './tables.ts';

type Titled = readonly (readonly [key: string, title: string])[];

const PEERS: Titled = [
  ['capnweb', "Cap'n Web"],
  ['capnweb-plain', '– uncompressed'],
  ['raw-plain', 'hand-written JSON'],
];

/** Who has the sizes of these columns: no socket is compressed where memory is measured. */
const PEERS_BY_SIZE = ['capnweb', '', 'raw'];

/** Times that users notice, losses as well as gains: by place and scenario. The page of the run has all scenarios. */
const TIMES: Titled = [
  ['workerd cold/client/first-result', scenarioName('cold/client/first-result')],
  ['workerd-cable remote/connect', 'connecting over a link of 20 ms, up to the first result'],
  ['workerd wake/first-result', scenarioName('wake/first-result')],
  ...['getValue/sequential', 'increment/sequential', 'increment/one-turn-100', 'pipeline/chain-3', 'echo/rows-200'].map(
    (key) => [`workerd ${key}`, scenarioName(key)] as const,
  ),
  ...['events/to-1', 'events/to-100'].map((key) => [`workerd ${key}`, scenarioName(key)] as const),
];

/** Figures that are not times, by the end of their place and scenario. */
const SIZES: Titled = [
  ['workerd connection/hibernating', 'memory of an idle connection, hibernating'],
  ['browser connect and call', 'client, to connect and call, min + gzip'],
];

/** A ratio below this counts as worse, where there is no interval. */
const WORSE = 0.97;

/** Functions that write the regions of the README, by the names of the regions. */
const REGIONS: Readonly<Record<string, (run: RunRecord) => string>> = {
  figures: (run) => `${headOf(run)}\n\n${mainTable(run)}`,
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
  const [before, after] = [`<!-- ${name}: npm run tool -- report -->`, `<!-- /${name} -->`];
  const begin = document.indexOf(before);
  const end = document.indexOf(after, begin);
  if (begin < 0 || end < 0) throw new Error(`there is no region ${before} … ${after}`);
  return `${document.slice(0, begin + before.length)}\n${content}\n${document.slice(end)}`;
}

function mainTable(run: RunRecord): string {
  const rows = [
    ...TIMES.map(([key, title]) => [
      title,
      timeOf(run, key),
      ...PEERS.map(([baseline]) => ratioOf(run, key, baseline)),
    ]),
    ...SIZES.map(([key, title]) => [title, ...sizesOf(run, key)]),
  ];
  return markdownTable({
    head: ['what', 'Lumenize RPC', ...PEERS.map(([, title]) => title)],
    rows: rows.filter((cells) => cells.some((cell, at) => at > 0 && cell !== NOTHING)),
  });
}

const NOTHING = '–';

function timeOf(run: RunRecord, key: string): string {
  const value = valueOf(run, key, 'lumenize');
  return value === undefined ? NOTHING : `${figure(value)} ms`;
}

/** Formats a ratio of times, with losses in bold. */
function ratioOf({ comparisons }: RunRecord, key: string, baseline: string): string {
  const found = comparisons.find(
    (each) => each.subject === 'lumenize' && each.baseline === baseline && `${each.host} ${each.scenario}` === key,
  );
  if (!found) return NOTHING;
  const { ratio: value, ci95, verdict } = found;
  if (verdict === 'no conclusion') return `${ratio(value)}, no conclusion`;
  return `${verdict === 'slower' ? `**${ratio(value)}**` : ratio(value)} (${interval(ci95)})`;
}

/** Formats the sizes of a row: of this library in kB, and of the others as ratios, with what is worse here in bold. */
function sizesOf(run: RunRecord, key: string): string[] {
  const own = valueOf(run, key, 'lumenize');
  const others = PEERS_BY_SIZE.map((subject) => {
    const other = valueOf(run, key, subject);
    if (own === undefined || other === undefined) return NOTHING;
    const value = other / own;
    return `${value < WORSE ? `**${ratio(value)}**` : ratio(value)} (${figure(other / 1000)} kB)`;
  });
  return [own === undefined ? NOTHING : `${figure(own / 1000)} kB`, ...others];
}

function valueOf({ rows }: RunRecord, key: string, subject: string): number | undefined {
  return rows.find((each) => each.subject === subject && `${each.host} ${each.scenario}` === key)?.value;
}

function headOf(run: RunRecord): string {
  const { cpu, cores, node, workerd, capnweb } = run.environment;
  return (
    `From the newest full entry of [MEASUREMENTS.md](MEASUREMENTS.md), ${takenWhen(run)}: commit ${hashOf(run)}, workerd ` +
    `${workerd}, Cap'n Web ${capnweb}, Node ${node}, ${cores} cores of an ${cpu}.`
  );
}
