import type { RecordedRun } from '../../recorded/recorded-run.ts';
import { missedBars, missedCodecBars } from './bar-list.ts';
import { codecTable } from './codec-table.ts';
import { figureTable } from './figure-table.ts';
import { elsewhereTable, ratioTable } from './ratio-table.ts';
import { withRegion } from './region.ts';

type Write = (run: RecordedRun) => string;

/** What is written into which document, by the names of its regions. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, Write>>>> = {
  'README.md': {
    ratios: ratioTable,
    figures: figureTable,
    missed: missedBars,
    entry: (run) => headOf(run, 'MEASUREMENTS.md'),
  },
  'docs/benchmarks.md': {
    codecs: codecTable,
    'missed codecs': missedCodecBars,
    elsewhere: elsewhereTable,
    'codecs entry': (run) => headOf(run, '../MEASUREMENTS.md'),
  },
};

/**
 * Writes the figures of the newest full run into the documents that `read` finds, and returns them by their paths. None where
 * there is no such run.
 */
export function documentsOf(
  runs: readonly RecordedRun[],
  read: (path: string) => string | undefined,
): Map<string, string> {
  const documents = new Map<string, string>();
  const run = runs.findLast(({ profile }) => profile === 'full');
  if (run === undefined) return documents;
  for (const [path, regions] of Object.entries(DOCUMENTS)) {
    const text = read(path);
    if (text === undefined) continue;
    documents.set(
      path,
      Object.entries(regions).reduce((document, [name, write]) => withRegion(document, name, write(run)), text),
    );
  }
  return documents;
}

function headOf({ takenAt, commit, environment }: RecordedRun, log: string): string {
  const { cpu, cores, node, workerd, capnweb } = environment;
  return (
    `From the newest full entry of [MEASUREMENTS.md](${log}), ${takenAt.slice(0, 19).replace('T', ' ')}: commit ${commit}, ` +
    `workerd ${workerd}, Cap'n Web ${capnweb}, Node ${node}, ${cores} cores of an ${cpu}.`
  );
}
