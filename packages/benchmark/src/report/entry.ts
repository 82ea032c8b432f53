import { median } from 'simple-statistics';
import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { isControl } from '../statistics/comparison.ts';
import { barTable } from './bars.ts';
import { hashOf, takenWhen } from './record.ts';
import {
  bullets,
  conclusion,
  figureTable,
  interval,
  markdownTable,
  percent,
  RATIO_NOTE,
  ratioTable,
  type Table,
} from './tables.ts';

/** What an entry says that the run itself does not know. */
export interface EntryTexts {
  readonly title: string;
  readonly description: string;
  /** What changed since the entry before, a line each. */
  readonly changes: readonly string[];
  /** Where the whole run is written, relative to the log. */
  readonly file: string;
}

/** How many lines an entry may take. */
export const MOST_LINES = { full: 250, other: 120 } as const;
const MOST_CHANGES = 12;
const PAGE = 'measurements';

/** Puts a run into the log's form. What has no room in its lines is on the page that is made from its file. */
export function buildEntry(record: RunRecord, texts: EntryTexts): string {
  const { title, description, changes, file } = texts;
  const { bars, comparisons } = record;
  const whole = record.profile === 'full';
  // A whole run has more places and payloads than a log has room for.
  const logged = whole
    ? comparisons.filter(({ host, family }) => host === 'workerd' && family !== 'values')
    : comparisons;
  const upstream = upstreamLines(record.rows);
  const room = whole ? MOST_LINES.full : MOST_LINES.other;
  const entry = (ratios: string, figures: string) => `### ${takenWhen(record)} [${title}]

**Git Hash**: ${hashOf(record)}

**Description**: ${description}

**Changes**:
${bullets(atMost(changes, MOST_CHANGES))}

**Test Configuration**:
${bullets(configuration(record, file))}

**Results**:

\`\`\`
${[upstream, figures].filter(Boolean).join('\n\n')}
\`\`\`

**Performance Comparison**:

${ratios}

${bars.length === 0 ? 'There is no bar that this run has figures for.' : barTable(bars)}

**Variance**:
${bullets(variance(record))}

**Conclusion**:
${bullets(conclusion(logged, bars))}
`;
  const left = room - linesOf(entry('', '')) - 4;
  const ratios =
    logged.length === 0
      ? 'Nothing was compared.'
      : `${RATIO_NOTE}\n\n${cut(ratioTable(logged), left - 4, markdownTable)}`;
  // Figures have the room that is left, if that is worth it.
  const rest = left - linesOf(ratios) - 2;
  return entry(ratios, whole || rest < 4 ? '' : cut(figureTable(record.rows), rest, writtenFigures));
}

function writtenFigures({ head, rows }: Table): string {
  return `Figures, of times the median:\n${textTable(head, 3, rows)}`;
}

/** Cuts a table to so many lines, and says how much of it is missing. */
function cut({ head, rows }: Table, room: number, write: (table: Table) => string): string {
  const shown = rows.length <= room ? rows : rows.slice(0, Math.max(0, room - 2));
  return (
    write({ head, rows: shown }) + (shown === rows ? '' : `\n\n${rows.length - shown.length} more are on the page.`)
  );
}

function linesOf(text: string): number {
  return text.split('\n').length;
}

function atMost(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [`${lines.length - most + 1} commits before these`, ...lines.slice(lines.length - most + 1)];
}

function configuration(record: RunRecord, file: string): string[] {
  const { cpu, cores, os, node, workerd, wrangler, capnweb } = record.environment;
  return [
    `Profile: ${record.profile}, seed ${record.seed}, ${Math.round(record.durationMs / 1000)} s`,
    `Versions: Node ${node}, workerd ${workerd}, wrangler ${wrangler}, capnweb ${capnweb}`,
    `Machine: ${cpu}, ${cores} cores, ${os}`,
    'Debug: OFF (@transformation-dev/debug in the Worker, the suite and the client)',
    ...record.families.flatMap(({ name, configuration: [first] }) => (first ? [`${name}: ${first}`] : [])),
    `All figures: [${file}](${file}); as tables and charts [those of the newest full run](${PAGE}), and these by \`npm run report -- ${file}\``,
  ];
}

/** The three tests of the upstream log, in its words. */
const TESTS = [
  ['increment/sequential', '100 increments', ''],
  ['getValue/sequential', '100 getValue calls', ''],
  ['mixed/sequential', '50 mixed operations (increment + getValue)', ' (100 operations)'],
] as const;

const NAMES = { lumenize: 'Lumenize RPC', capnweb: "Cap'n Web" };

/** Writes the lines of the upstream log for its own tests, so that its entries and these can be read side by side. */
function upstreamLines(rows: readonly Row[]): string {
  const blocks = Object.entries(NAMES).flatMap(([subject, name]) =>
    TESTS.flatMap(([scenario, title, note]) => {
      const { detail } = rows.find((row) => row.subject === subject && row.scenario === scenario) ?? {};
      if (!detail) return [];
      const { blockMedianMs, blockOperations } = detail;
      return [
        `${name} - ${title}:
  Total: ${blockMedianMs.toFixed(2)}ms${note}
  Average: ${(blockMedianMs / blockOperations).toFixed(3)}ms per operation
  Throughput: ${((1000 * blockOperations) / blockMedianMs).toFixed(1)} ops/sec`,
      ];
    }),
  );
  return blocks.join('\n');
}

/** Says how steady a run was, place by place. */
export function variance({ launches, rows, comparisons, environment }: RunRecord): string[] {
  const places = [...Map.groupBy(launches, ({ host }) => host)].map(([host, own]) => {
    const variations = rows.flatMap((row) => (row.host === host ? (row.detail?.blockVariation ?? []) : []));
    const controls = comparisons.flatMap((each) => (each.host === host && isControl(each) ? each.ratio : []));
    const warmUps = own.flatMap((launch) => launch.warmUps ?? []);
    const unsteady = warmUps.filter(({ steady }) => !steady).length;
    const late = own.flatMap(({ health }) => health?.delayP99Ms ?? []);
    const ends = [Math.min(...controls), Math.max(...controls)] as const;
    const parts = [
      `${own.length} launches`,
      variations.length > 0 && `blocks vary by ${percent(median(variations))} (median of ${variations.length} rows)`,
      controls.length > 0 && `A/A ${interval(ends)} over ${controls.length} scenarios`,
      warmUps.length > 0 && `${unsteady} of ${warmUps.length} warm-ups did not become steady`,
      late.length > 0 && `event loop of the client late by ${Math.max(...late).toFixed(1)} ms (p99)`,
    ];
    return `${host}: ${parts.filter(Boolean).join('; ')}.`;
  });
  return [`Load average before the run: ${environment.loadBefore.toFixed(2)}.`, ...places];
}

/** Writes what a terminal shows of a run: its figures, its ratios, its bars and what follows. */
export function terminalReport(record: RunRecord): string {
  const { rows, comparisons, bars } = record;
  const [figures, ratios] = [figureTable(rows), ratioTable(comparisons)];
  const cannot = rows.flatMap(({ host, scenario, subject, cannot: reason }) =>
    reason ? [`${host} ${scenario} ${subject}: ${reason}`] : [],
  );
  return [
    textTable(figures.head, 3, figures.rows),
    ...(cannot.length > 0 ? [cannot.join('\n')] : []),
    ...(comparisons.length > 0 ? [`${RATIO_NOTE}\n${textTable(ratios.head, 3, ratios.rows)}`] : []),
    ...(bars.length > 0 ? [barTable(bars)] : []),
    conclusion(comparisons, bars).join('\n'),
  ].join('\n\n');
}
