import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import type { RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { subjectsSince } from '../environment.ts';
import { nameOf } from './names.ts';
import { hashOf, runText, takenWhen } from './record.ts';
import {
  barTable,
  bullets,
  figureTable,
  markdownTable,
  plainTable,
  RATIO_NOTE,
  ratioTable,
  type Table,
  varianceTable,
  verdictTable,
} from './tables.ts';

/** Options for entering a run in the log. */
export interface EntryOptions {
  /** The title of the entry. @default the subject of the commit */
  readonly title?: string | undefined;
  /** The description of the run. @default the subject of the commit */
  readonly description?: string | undefined;
  /** Allows an entry for a tree that differs from its commit. @default false */
  readonly allowDirty?: boolean | undefined;
}

const LOG = 'MEASUREMENTS.md';

/**
 * Throws if the measured tree differs from its commit, because its measurement could not be repeated. With
 * `allowDirty`, the entry is marked instead.
 */
export function assertLoggable({ dirty }: { readonly dirty: boolean }, allowDirty = false): void {
  if (!dirty || allowDirty) return;
  throw new Error(
    'the tree differs from its commit, and an entry of it could not be repeated: commit first, or allow it by ' +
      '--allow-dirty (MEASURE_ALLOW_DIRTY=1 with npm test)',
  );
}

/**
 * Writes a run's file, and appends its entry to the log of the repository or of another `root`. Existing entries stay
 * as they are. Returns the paths of both files, relative to the root. Throws if the tree was dirty and that is not
 * allowed.
 */
export function logRun(
  { record, commitSubject }: { readonly record: RunRecord; readonly commitSubject: string },
  { title, description, allowDirty }: EntryOptions,
  root: string = ROOT,
): { readonly log: string; readonly file: string } {
  assertLoggable(record, allowDirty);
  const time = record.takenAt.slice(0, 19).replaceAll(':', '-');
  const file = `measurements/${time}Z-${record.commit}${record.dirty ? '-dirty' : ''}.json`;
  const path = join(root, LOG);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const entry = buildEntry(record, {
    title: title || commitSubject,
    description: description || `The ${record.profile} profile at the commit “${commitSubject}”.`,
    changes: changesSinceEntry(lastHash(before), record.dirty),
    file,
  });
  replaceFile(join(root, file), runText(record));
  replaceFile(path, `${before.trimEnd()}\n\n---\n\n${entry}`);
  return { log: LOG, file };
}

/** Returns the hash of the newest entry, without the mark for a dirty tree. */
function lastHash(log: string): string | undefined {
  return [...log.matchAll(/^\*\*Git Hash\*\*: (\w+)/gm)].at(-1)?.[1];
}

function changesSinceEntry(last: string | undefined, dirty: boolean): string[] {
  const notAncestor = [`The entry before was made at ${last}, which is not an ancestor of this commit`];
  const committed = last === undefined ? ['The first entry of this log'] : (subjectsSince(last) ?? notAncestor);
  const changes = [...committed, ...(dirty ? ['Changes that are not committed'] : [])];
  return changes.length > 0 ? changes : [`None since the entry before (${last})`];
}

/** Writes a file in one step, so that an interruption leaves either the old or the new file. */
export function replaceFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The parts of an entry that are not in the run itself. */
export interface EntryTexts {
  readonly title: string;
  readonly description: string;
  /** The changes since the previous entry, one line each. */
  readonly changes: readonly string[];
  /** The file with the whole run, relative to the log. */
  readonly file: string;
}

/** The maximum number of lines of an entry. */
export const MOST_LINES = { full: 250, other: 120 } as const;
const MOST_CHANGES = 12;
const PAGE = 'measurements';

/** Builds the entry of a run for the log. The page of the run has everything that does not fit. */
export function buildEntry(record: RunRecord, { title, description, changes, file }: EntryTexts): string {
  const { bars, rows } = record;
  const whole = record.profile === 'full';
  // A whole run has more places and payloads than fit into a log.
  const logged = record.comparisons.filter(({ host, family }) => !whole || (host === 'workerd' && family !== 'values'));
  const older = changes.length - MOST_CHANGES + 1;
  const shown = older > 1 ? [`${older} commits before these`, ...changes.slice(older)] : changes;
  const entry = (ratios: string, figures: string) => `### ${takenWhen(record)} [${title}]

**Git Hash**: ${hashOf(record)}

**Description**: ${description}

**Changes**:
${bullets(shown)}

**Test Configuration**:
${bullets(configuration(record, file))}

**Results**:

\`\`\`
${[upstreamLines(rows), figures].filter(Boolean).join('\n\n')}
\`\`\`

**Performance Comparison**:

${ratios}

${bars.length === 0 ? 'There is no bar that this run has figures for.' : markdownTable(barTable(bars))}

**Variance** (load average before the run: ${record.environment.loadBefore.toFixed(2)}):

${markdownTable(varianceTable(record))}

**Conclusion**:

${logged.length === 0 ? 'Nothing was compared.' : markdownTable(verdictTable(logged))}
`;
  const left = (whole ? MOST_LINES.full : MOST_LINES.other) - linesOf(entry('', '')) - 4;
  const ratios =
    logged.length === 0
      ? 'Nothing was compared.'
      : `${RATIO_NOTE}\n\n${cut(ratioTable(logged), left - 4, markdownTable)}`;
  // Figures use the remaining lines, if there are enough.
  const rest = left - linesOf(ratios) - 2;
  const figures = whole || rest < 4 ? '' : cut(figureTable(rows), rest, plainTable);
  return entry(ratios, figures && `Figures, of times the median:\n${figures}`);
}

/** Cuts a table to a number of lines, and says how many rows are missing. */
function cut({ head, rows }: Table, room: number, write: (table: Table) => string): string {
  if (rows.length <= room) return write({ head, rows });
  const shown = rows.slice(0, Math.max(0, room - 2));
  return `${write({ head, rows: shown })}\n\n${rows.length - shown.length} more are on the page.`;
}

function linesOf(text: string): number {
  return text.split('\n').length;
}

function configuration(record: RunRecord, file: string): string[] {
  const { cpu, cores, os, node, workerd, wrangler, capnweb } = record.environment;
  return [
    `Profile: ${record.profile}, seed ${record.seed}, ${Math.round(record.durationMs / 1000)} s`,
    `Versions: Node ${node}, workerd ${workerd}, wrangler ${wrangler}, capnweb ${capnweb}`,
    `Machine: ${cpu}, ${cores} cores, ${os}`,
    'Debug: OFF (@transformation-dev/debug in the Worker, the suite and the client)',
    ...record.families.flatMap(({ name, configuration: [first] }) => (first ? [`${name}: ${first}`] : [])),
    `All figures: [${file}](${file}); as tables and charts [those of the newest full run](${PAGE}), and these by \`npm run tool -- report ${file}\``,
  ];
}

/** The three tests of the upstream log, in its wording. */
const TESTS = [
  ['increment/sequential', '100 increments', ''],
  ['getValue/sequential', '100 getValue calls', ''],
  ['mixed/sequential', '50 mixed operations (increment + getValue)', ' (100 operations)'],
] as const;

/** Returns the lines of the upstream log for its own tests, so that entries of both logs can be compared. */
function upstreamLines(rows: readonly Row[]): string {
  const names = { lumenize: 'Lumenize RPC', capnweb: "Cap'n Web" };
  return Object.entries(names)
    .flatMap(([subject, name]) => TESTS.map((test) => [subject, name, ...test] as const))
    .flatMap(([wanted, name, test, title, note]) => {
      const { detail } = rows.find(({ subject, scenario }) => subject === wanted && scenario === test) ?? {};
      if (!detail) return [];
      const { blockMedianMs: ms, blockOperations: operations } = detail;
      return `${name} - ${title}:
  Total: ${ms.toFixed(2)}ms${note}
  Average: ${(ms / operations).toFixed(3)}ms per operation
  Throughput: ${((1000 * operations) / ms).toFixed(1)} ops/sec`;
    })
    .join('\n');
}

/** Returns the text that a terminal shows for a run: its figures, ratios, bars and verdicts. */
export function terminalReport({ rows, comparisons, bars }: RunRecord): string {
  const cannot = rows.flatMap(({ host, scenario, subject, cannot: reason }) =>
    reason ? [`${host} ${scenario} ${nameOf(subject)}: ${reason}`] : [],
  );
  const tables = [ratioTable(comparisons), barTable(bars), verdictTable(comparisons)];
  return [
    plainTable(figureTable(rows)),
    cannot.join('\n'),
    comparisons.length > 0 ? RATIO_NOTE : '',
    ...tables.map((table) => (table.rows.length > 0 ? plainTable(table) : '')),
  ]
    .filter(Boolean)
    .join('\n\n');
}
