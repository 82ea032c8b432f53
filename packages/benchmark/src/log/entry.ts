import type { RecordHead, RunRecord } from '../run-record.ts';
import { analysis, conclusion } from './analysis.ts';
import { barResults, barTable } from './bars.ts';
import { comparisonTables } from './comparison-tables.ts';
import { list } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { resultTables } from './result-tables.ts';
import { upstreamLines } from './upstream-lines.ts';
import { variance } from './variance.ts';

/** What is called, by profile. */
const OPERATIONS: Readonly<Record<string, string>> = {
  short:
    'Counter operations: increment() and getValue() on one CounterImpl, synchronous ctx.storage.kv; a fresh object and a fresh connection for each block',
  pipeline: 'The same targets, made of either library’s RpcTarget; a fresh connection for each block',
  transports:
    'The same target, made of either library’s RpcTarget: in a Durable Object, behind ports in a thread; results are compared with what was sent; a fresh connection for each block',
  events:
    'publish() to subscribers of one object, each on a connection of its own, one event at a time and 20 in one turn; ops are events; topics, and hand-written JSON and Cap’n Web callbacks with an SQLite row an event; every subscriber compares number, order and content; a fresh object for each block',
};

/** What an entry says that the run itself does not know. */
export interface EntryTexts {
  readonly title: string;
  readonly description: string;
  /** What changed since the entry before, a line each. */
  readonly changes: readonly string[];
  /** Where the whole run is written, relative to the log. */
  readonly file: string;
}

/** What a run of any family says under the log's headings. */
export interface EntrySections {
  readonly configuration: readonly string[];
  /** Plain text, shown as it is. */
  readonly results: string;
  /** Markdown. */
  readonly comparison: string;
  readonly variance: readonly string[];
  readonly analysis: readonly string[];
  readonly conclusion: readonly string[];
}

/** Builds the log's entry of a run of calls. */
export function buildEntry(run: RunRecord, texts: EntryTexts): string {
  const bars = barResults(run);
  const fenced = [upstreamLines(run, 'workerd'), upstreamLines(run, 'wrangler-dev'), resultTables(run)];
  return entryOf(run, texts, {
    configuration: configuration(run, texts.file),
    results: fenced.filter(Boolean).join('\n\n'),
    comparison: `${comparisonTables(run)}\n\n${barTable(bars)}`,
    variance: variance(run),
    analysis: analysis(run),
    conclusion: conclusion(run.comparisons, bars),
  });
}

/** Puts the sections of a run into the log's form. */
export function entryOf(run: RecordHead, { title, description, changes }: EntryTexts, sections: EntrySections): string {
  const hash = run.dirty ? `${run.commit}+dirty` : run.commit;
  return `### ${run.takenAt.slice(0, 19).replace('T', ' ')} [${title}]

**Git Hash**: ${hash}

**Description**: ${description}

**Changes**:
${bullets(changes)}

**Test Configuration**:
${bullets(sections.configuration)}

**Results**:

\`\`\`
${sections.results}
\`\`\`

**Performance Comparison**:

${sections.comparison}

**Variance**:
${bullets(sections.variance)}

**Analysis**:
${bullets(sections.analysis)}

**Conclusion**:
${bullets(sections.conclusion)}
`;
}

function configuration(run: RunRecord, file: string): string[] {
  const { cpu, cores, os, node, workerd, wrangler, capnweb } = run.environment;
  const hosts = [...new Set(run.launches.map(({ host }) => host))];
  const counts = hosts.map((host) => `${HOST_NAMES[host]} (${run.launches.filter((l) => l.host === host).length})`);
  return [
    `Profile: ${run.profile}, seed ${run.seed}, ${Math.round(run.durationMs / 1000)} s`,
    `Hosts, with the number of launches: ${list(counts)}; each launch has a fresh server and a fresh client process`,
    OPERATIONS[run.profile] ?? OPERATIONS.short,
    `Versions: Node ${node}, workerd ${workerd}, wrangler ${wrangler}, capnweb ${capnweb}`,
    `Machine: ${cpu}, ${cores} cores, ${os}`,
    'Debug: OFF (@transformation-dev/debug in the Worker, the suite and the client)',
    `All figures and distributions: [${file}](${file})`,
  ];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
