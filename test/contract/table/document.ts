import { CASES, PARTS } from '../cases/all.ts';
import { DROPPED } from '../dropped.ts';
import type { ContractResult } from './results.ts';

/** Columns stand in this order, and those of other libraries last. */
const ENVIRONMENTS = ['Node', 'workerd', 'Chromium'];
const OTHERS = /Cap'n Web/;
const LONGEST_REASON = 160;

const SIGNS = { holds: '✓', fails: '✗', 'does not apply': '–' } as const;

interface Column {
  readonly transport: string;
  readonly environment: string;
  readonly outcomes: ReadonlyMap<string, ContractResult>;
}

/** Writes the document of what became of all cases. */
export function documentOf(results: readonly ContractResult[], versions: string): string {
  const columns = columnsOf(results);
  const sections = PARTS.map((part) => sectionOf(part, columns));
  return `${[introduction(versions), totals(columns), ...sections, dropped()].join('\n\n')}\n`;
}

function dropped(): string {
  const rows = Object.entries(DROPPED).map(([name, rule]) => [escaped(name), escaped(rule)]);
  return `## No longer promised\n\n${table(['', 'Because'], rows)}`;
}

function introduction(versions: string): string {
  return `# Guarantees by transport

Look up which guarantee holds over which transport. Every cell is the result of a test: \`npm run tool -- contract-table\` runs the
cases of [test/contract/cases](../test/contract/cases) over every transport, with the client in Node, in workerd and in
Chromium. The last columns are Cap'n Web's client, with the same cases and the same target, over its WebSocket: to its own
server, each library used as its documentation says, and [to this library](guides/moving.md#from-capn-web). Names, such as
the code of an error, have cases of their own.

- **✓**: it holds.
- **–**: it does not apply; the number leads to the reason.
- **✗**: it does not hold; the number leads to what happened instead.

The client counts the frames of each case. ${versions}`;
}

function totals(columns: readonly Column[]): string {
  const count = (column: Column, status: ContractResult['status']) =>
    [...column.outcomes.values()].filter((outcome) => outcome.status === status).length;
  return table(
    ['', 'Client in', 'holds', 'does not hold', 'does not apply'],
    columns.map((column) => [
      column.transport,
      column.environment,
      ...(['holds', 'fails', 'does not apply'] as const).map((status) => String(count(column, status))),
    ]),
  );
}

function sectionOf(part: string, columns: readonly Column[]): string {
  const notes: string[] = [];
  const rows = CASES.filter((each) => each.part === part).map(({ name }) => [
    escaped(name),
    ...columns.map(({ outcomes }) => cellOf(outcomes.get(keyOf(part, name)), notes)),
  ]);
  const head = ['', ...columns.map(({ transport, environment }) => `${transport}, ${environment}`)];
  const footnotes = notes.map((note, index) => `${index + 1}. ${note}`);
  return [`## ${part}`, table(head, rows), ...(notes.length > 0 ? [footnotes.join('\n')] : [])].join('\n\n');
}

function cellOf(outcome: ContractResult | undefined, notes: string[]): string {
  if (outcome === undefined) return '';
  if (outcome.reason === undefined) return SIGNS[outcome.status];
  const note = noteOf(outcome.reason);
  if (!notes.includes(note)) notes.push(note);
  return `${SIGNS[outcome.status]}<sup>${notes.indexOf(note) + 1}</sup>`;
}

/** The first line of a reason, without what is another one each time. */
function noteOf(reason: string): string {
  const line = reason
    .split('\n    at ')[0]
    .split('\n')[0]
    .replace(/^Error: /, '')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…')
    .replace(/127\.0\.0\.1:\d+/g, '…');
  return escaped(line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line);
}

function columnsOf(results: readonly ContractResult[]): Column[] {
  const columns = new Map<string, { transport: string; environment: string; outcomes: Map<string, ContractResult> }>();
  for (const result of results) {
    const { transport, environment } = result;
    const key = `${transport}, ${environment}`;
    if (!columns.has(key)) columns.set(key, { transport, environment, outcomes: new Map() });
    columns.get(key)!.outcomes.set(keyOf(result.part, result.case), result);
  }
  const rank = ({ transport, environment }: Column) =>
    (OTHERS.test(transport) ? 100 : 0) + ENVIRONMENTS.indexOf(environment);
  return [...columns.values()].sort((a, b) => rank(a) - rank(b) || a.transport.localeCompare(b.transport));
}

function keyOf(part: string, name: string): string {
  return `${part}: ${name}`;
}

/** Writes a table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** So that text stays text in a table. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
}
