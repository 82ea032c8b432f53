import type { FamilyPart, FinishedRun } from '../families/run-families.ts';
import type { RunRecord } from '../run-record.ts';
import { conclusion } from './analysis.ts';
import { barTable } from './bars.ts';
import { bullets, headed, named } from './sections.ts';

/** What an entry says that the run itself does not know. */
export interface EntryTexts {
  readonly title: string;
  readonly description: string;
  /** What changed since the entry before, a line each. */
  readonly changes: readonly string[];
  /** How its ratios went since earlier entries, as markdown. */
  readonly earlier: string;
  /** Where the whole run is written, relative to the log. */
  readonly file: string;
}

/** What an entry is made of. */
export type Told = Pick<FinishedRun, 'record' | 'parts'>;

/** Puts a run into the log's form: under each of its headings, what every family has to say. */
export function buildEntry(
  { record, parts }: Told,
  { title, description, changes, earlier, file }: EntryTexts,
): string {
  const hash = record.dirty ? `${record.commit}+dirty` : record.commit;
  const { bars } = record;
  const lines = (of: (part: FamilyPart) => readonly string[]) => named(parts, of);
  return `### ${record.takenAt.slice(0, 19).replace('T', ' ')} [${title}]

**Git Hash**: ${hash}

**Description**: ${description}

**Changes**:
${bullets(changes)}

**Test Configuration**:
${bullets([...configuration(record, file), ...lines(({ entry }) => entry.configuration)])}

**Results**:

\`\`\`
${headed(parts, '===', ({ entry }) => entry.results)}
\`\`\`

**Performance Comparison**:

${headed(parts, '####', ({ entry }) => entry.comparison)}

${bars.length === 0 ? 'There is no bar that this run has figures for.' : barTable(bars)}

**Earlier Entries**:

${earlier}

**Variance**:
${bullets([loadBefore(record), ...lines(({ entry }) => entry.variance)])}

**Analysis**:
${bullets(lines(({ entry }) => entry.analysis))}

**Conclusion**:
${bullets(conclusion(record.comparisons, bars))}
`;
}

function configuration(record: RunRecord, file: string): string[] {
  const { cpu, cores, os, node, workerd, wrangler, capnweb } = record.environment;
  return [
    `Profile: ${record.profile}, seed ${record.seed}, ${Math.round(record.durationMs / 1000)} s`,
    `Versions: Node ${node}, workerd ${workerd}, wrangler ${wrangler}, capnweb ${capnweb}`,
    `Machine: ${cpu}, ${cores} cores, ${os}`,
    'Debug: OFF (@transformation-dev/debug in the Worker, the suite and the client)',
    `All figures and distributions: [${file}](${file})`,
  ];
}

function loadBefore({ environment: { loadBefore: load, cores } }: RunRecord): string {
  return `Load average of the machine before the run: ${load.toFixed(2)} on ${cores} cores.`;
}
