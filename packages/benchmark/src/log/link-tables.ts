import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { TimeResult } from '../blocks/record.ts';
import type { FamilyFindings } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import type { Result } from '../families/results.ts';
import type { HostName } from '../hosts/host.ts';
import { ROUND_TRIPS } from '../links/round-trips.ts';
import { frameCounts, timeResults, unavailableResults } from '../run-record.ts';
import { count, ms } from './format.ts';
import { HOST_NAMES } from './names.ts';

const HEAD = ['scenario', 'subject', 'n', 'round trips', 'p50', 'mean', 'p95', 'max', 'frames', 'bytes'];
const TITLE =
  'round trips of the link (p50), ms per sample (a call; a turn; a connection), frames and bytes up+down per sample';

/** What was measured over links as text, a table for each link, then what could not be done. */
export function linkTables(found: FamilyFindings): string {
  const times = timeResults(found);
  const hosts = [...new Set(times.map(({ host }) => host))];
  return [...hosts.map((host) => linkTable(host, times, found.results)), unavailableTable(found)]
    .filter(Boolean)
    .join('\n\n');
}

function linkTable(host: HostName, times: readonly TimeResult[], all: readonly Result[]): string {
  const rows: (string | number)[][] = [];
  let above = '';
  for (const time of times.filter((each) => each.host === host)) {
    const { scenario, subject, n, p50, mean, p95, max } = time;
    const trips = tripsOf(time, all)?.value.toFixed(2) ?? '';
    const wire = frameCounts(time);
    rows.push([
      ...[scenario === above ? '' : scenario, subject, n, trips, ms(p50), ms(mean), ms(p95), ms(max)],
      wire ? `${count(wire.framesUp)}+${count(wire.framesDown)}` : '',
      wire ? `${count(wire.bytesUp)}+${count(wire.bytesDown)}` : '',
    ]);
    above = scenario;
  }
  return `${HOST_NAMES[host]}: ${TITLE}\n${textTable(HEAD, 2, rows)}`;
}

/** Returns what was noted of a result's round trips. */
export function tripsOf({ scenario, subject, host }: TimeResult, all: readonly Result[]): FigureResult | undefined {
  return all.find(
    (each): each is FigureResult =>
      'value' in each &&
      each.unit === ROUND_TRIPS &&
      each.scenario === scenario &&
      each.subject === subject &&
      each.host === host,
  );
}

function unavailableTable(found: FamilyFindings): string {
  const reasons = new Set(
    unavailableResults(found).map((each) => [each.scenario, each.subject, each.unavailable].join('\n')),
  );
  if (reasons.size === 0) return '';
  const rows = [...reasons].map((each) => each.split('\n'));
  return `Not available, over any link\n${textTable(['scenario', 'subject', 'why it cannot'], 3, rows)}`;
}
