import type { RunRecord } from '../run-record.ts';
import { analysis, conclusion } from './analysis.ts';
import { barResults, barTable } from './bars.ts';
import { comparisonTables } from './comparison-tables.ts';
import { list } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { resultTables } from './result-tables.ts';
import { upstreamLines } from './upstream-lines.ts';
import { variance } from './variance.ts';

/** What an entry says that the run itself does not know. */
export interface EntryTexts {
  readonly title: string;
  readonly description: string;
  /** What changed since the entry before, a line each. */
  readonly changes: readonly string[];
  /** Where the whole run is written, relative to the log. */
  readonly file: string;
}

/** Builds the log's entry of a run, in the log's form. */
export function buildEntry(run: RunRecord, { title, description, changes, file }: EntryTexts): string {
  const bars = barResults(run);
  const hash = run.dirty ? `${run.commit}+dirty` : run.commit;
  const fenced = [upstreamLines(run, 'workerd'), upstreamLines(run, 'wrangler-dev'), resultTables(run)];
  return `### ${run.takenAt.slice(0, 19).replace('T', ' ')} [${title}]

**Git Hash**: ${hash}

**Description**: ${description}

**Changes**:
${bullets(changes)}

**Test Configuration**:
${bullets(configuration(run, file))}

**Results**:

\`\`\`
${fenced.filter(Boolean).join('\n\n')}
\`\`\`

**Performance Comparison**:

${comparisonTables(run)}

${barTable(bars)}

**Variance**:
${bullets(variance(run))}

**Analysis**:
${bullets(analysis(run))}

**Conclusion**:
${bullets(conclusion(run, bars))}
`;
}

function configuration(run: RunRecord, file: string): string[] {
  const { cpu, cores, os, node, workerd, wrangler, capnweb } = run.environment;
  const hosts = [...new Set(run.launches.map(({ host }) => host))];
  const counts = hosts.map((host) => `${HOST_NAMES[host]} (${run.launches.filter((l) => l.host === host).length})`);
  return [
    `Profile: ${run.profile}, seed ${run.seed}, ${Math.round(run.durationMs / 1000)} s`,
    `Hosts, with the number of launches: ${list(counts)}; each launch has a fresh server and a fresh client process`,
    'Counter operations: increment() and getValue() on one CounterImpl, synchronous ctx.storage.kv; a fresh object and a fresh connection for each block',
    `Versions: Node ${node}, workerd ${workerd}, wrangler ${wrangler}, capnweb ${capnweb}`,
    `Machine: ${cpu}, ${cores} cores, ${os}`,
    'Debug: OFF (@transformation-dev/debug in the Worker, the suite and the client)',
    `All figures and distributions: [${file}](${file})`,
  ];
}

function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
