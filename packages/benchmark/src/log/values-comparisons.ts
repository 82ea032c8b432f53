import type { Place } from '../hosts/host.ts';
import { type Comparison, isControl } from '../statistics/comparison.ts';
import type { ValuesFindings } from '../values/record.ts';
import { interval, ratio } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { standings } from './values-standing.ts';

const NOTE =
  'Time of the other over time of `lumenize`, of encoding and decoding together: above 1, `lumenize` is faster. In ' +
  'brackets the 95 % interval, bootstrapped over launches and their rounds. **+** faster and **−** slower need an ' +
  'interval without 1 and an effect above 3 %; **?** is no conclusion. The last but one column names the other JavaScript ' +
  'codec that `lumenize` is furthest behind or least ahead of, and where that leaves it.';

const MARKS = { faster: ' **+**', slower: ' **−**', 'no difference shown': '', 'no conclusion': ' **?**' } as const;

/** How `lumenize` compares with every other codec: a markdown table for each place, a row for each payload. */
export function codecComparisons(record: ValuesFindings): string {
  const hosts = [...new Set(record.comparisons.map(({ host }) => host))];
  return [NOTE, ...hosts.map((host) => tableOf(host, record))].join('\n\n');
}

function tableOf(host: Place, record: ValuesFindings): string {
  const ours = record.comparisons.filter((each) => each.host === host && each.subject === 'lumenize');
  const codecs = Object.keys(record.codecs).filter((name) =>
    ours.some((each) => !isControl(each) && each.baseline === name),
  );
  const payloads = [...new Set(ours.map(({ scenario }) => scenario))];
  const standing = standings(record).filter((each) => each.host === host);
  const rows = payloads.map((payload) => {
    const here = ours.filter(({ scenario }) => scenario === payload);
    const against = codecs.map((name) => cell(here.find((each) => !isControl(each) && each.baseline === name)));
    const stands = standing.find((each) => each.payload === payload);
    const place = stands ? `${stands.closest.baseline}: ${stands.place}` : '';
    return [payload, ...against, place, cell(here.find(isControl))];
  });
  const head = ['payload', ...codecs, 'closest', 'A/A'];
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return `In ${HOST_NAMES[host]}:\n\n${lines.join('\n')}`;
}

function cell(comparison: Comparison<Place> | undefined): string {
  if (!comparison) return '';
  return `${ratio(comparison.ratio)} (${interval(comparison.ci95)})${MARKS[comparison.verdict]}`;
}
