import type { BlockFindings, TimeResult } from '../blocks/record.ts';
import type { HostName } from '../hosts/host.ts';
import { timeResults } from '../run-record.ts';
import { HOST_NAMES, subjectName } from './names.ts';

/** The three tests of the upstream log, in its words. */
const TESTS: Readonly<Record<string, { title: string; note: string }>> = {
  'increment/sequential': { title: '100 increments', note: '' },
  'getValue/sequential': { title: '100 getValue calls', note: '' },
  'mixed/sequential': { title: '50 mixed operations (increment + getValue)', note: ' (100 operations)' },
};

/** The lines of the upstream log for its own tests, so that its entries and these can be read side by side. */
export function upstreamLines(run: BlockFindings, host: HostName): string {
  const results = timeResults(run).filter((result) => result.host === host);
  const blocks = ['lumenize', 'capnweb'].flatMap((subject) =>
    Object.keys(TESTS).flatMap((scenario) => {
      const found = results.find((result) => result.subject === subject && result.scenario === scenario);
      return found ? [linesOf(found)] : [];
    }),
  );
  return blocks.length === 0 ? '' : `On ${HOST_NAMES[host]}; the median block of each:\n\n${blocks.join('\n\n')}`;
}

function linesOf({ subject, scenario, blockMedianMs, blockOperations }: TimeResult): string {
  const { title, note } = TESTS[scenario];
  return [
    `${subjectName(subject)} - ${title}:`,
    `  Total: ${blockMedianMs.toFixed(2)}ms${note}`,
    `  Average: ${(blockMedianMs / blockOperations).toFixed(3)}ms per operation`,
    `  Throughput: ${((1000 * blockOperations) / blockMedianMs).toFixed(1)} ops/sec`,
  ].join('\n');
}
