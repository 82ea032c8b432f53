import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { BlockFindings, TimeResult } from '../blocks/record.ts';
import type { HostName } from '../hosts/host.ts';
import type { FrameCounts } from '../load/plan.ts';
import { frameCounts, sizeResults, timeResults, unavailableResults } from '../run-record.ts';
import { count, ms } from './format.ts';
import { HOST_NAMES } from './names.ts';

/** Of fewer samples, one in a hundred is none. */
const SAMPLES_FOR_P99 = 100;

const HEAD = [
  'scenario',
  'subject',
  'n',
  'mean',
  'p50',
  'p75',
  'p95',
  'p99',
  'stddev',
  'min',
  'max',
  'ops/s',
  'frames',
];

/** All results as text tables, one per host, then what could not be done, and the sizes. */
export function resultTables(run: BlockFindings): string {
  const results = timeResults(run);
  const hosts = [...new Set(results.map(({ host }) => host))];
  return [
    ...hosts.map((host) =>
      timeTable(
        host,
        results.filter((r) => r.host === host),
      ),
    ),
    unavailableTable(run),
    sizeTable(run),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function timeTable(host: HostName, results: readonly TimeResult[]): string {
  const rows: (string | number)[][] = [];
  let above = '';
  for (const r of results) {
    const scenario = r.scenario === above ? '' : r.scenario;
    above = r.scenario;
    const p99 = r.n < SAMPLES_FOR_P99 ? '–' : ms(r.p99);
    const times = [...[r.mean, r.p50, r.p75, r.p95].map(ms), p99, ...[r.stddev, r.min, r.max].map(ms)];
    const wire = wireCells(frameCounts(r));
    rows.push([scenario, r.subject, r.n, ...times, Math.round(r.opsPerSecond), ...wire]);
  }
  const kinds = [...new Set(results.map(({ sample }) => `a ${sample}`))].join('; ');
  const wire = results.some(frameCounts) ? ', frames and bytes up+down per sample' : '';
  const title = `${HOST_NAMES[host]}: ms per sample (${kinds})${wire}`;
  return `${title}\n${textTable([...HEAD, 'bytes'], 2, rows)}`;
}

function wireCells(counts: FrameCounts | undefined): string[] {
  if (!counts) return ['', ''];
  const { framesUp, framesDown, bytesUp, bytesDown } = counts;
  return [`${count(framesUp)}+${count(framesDown)}`, `${count(bytesUp)}+${count(bytesDown)}`];
}

function unavailableTable(run: BlockFindings): string {
  const rows = unavailableResults(run).map(({ host, scenario, subject, unavailable }) => {
    return [HOST_NAMES[host], scenario, subject, unavailable];
  });
  if (rows.length === 0) return '';
  const head = ['host', 'scenario', 'subject', 'why it cannot'];
  return `Not available\n${textTable(head, head.length, rows)}`;
}

function sizeTable(run: BlockFindings): string {
  if (sizeResults(run).length === 0) return '';
  const rows = sizeResults(run).map(({ subject, minified, gzip, brotli }) => [subject, minified, gzip, brotli]);
  const head = ['client bundle', 'minified', 'gzip', 'brotli'];
  return `Size of what a client loads to connect, in bytes\n${textTable(head, 1, rows)}`;
}
