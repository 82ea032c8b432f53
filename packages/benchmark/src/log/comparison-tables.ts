import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { BlockFindings } from '../blocks/record.ts';
import type { Place } from '../hosts/host.ts';
import { type Comparison, isControl, pairsIn } from '../statistics/comparison.ts';
import { interval, ratio } from './format.ts';
import { HOST_NAMES } from './names.ts';

const NOTE =
  'Ratio of baseline time to subject time: above 1, the subject is faster. In brackets the 95 % interval, bootstrapped ' +
  'over launches and their rounds. “Faster” and “slower” need an interval without 1 and an effect above 3 %.';

/** All comparisons as one text table, a row for each. */
export function comparisonList(run: BlockFindings): string {
  const rows = run.comparisons.map((each) => [
    each.host,
    each.scenario,
    isControl(each) ? `${each.subject} / itself` : `${each.subject} / ${each.baseline}`,
    each.verdict,
    ratio(each.ratio),
    interval(each.ci95),
    `${each.launches}, ${each.rounds}`,
  ]);
  const head = ['host', 'scenario', 'subject / baseline', 'verdict', 'ratio', '95 % interval', 'launches, rounds'];
  return `Baseline time over subject time: above 1, the subject is faster\n${textTable(head, 4, rows)}`;
}

/** All comparisons as markdown tables, one per host: a row per scenario, a column per pair; `note` says what a ratio is. */
export function comparisonTables(run: { readonly comparisons: readonly Comparison<Place>[] }, note = NOTE): string {
  const hosts = [...new Set(run.comparisons.map(({ host }) => host))];
  return [note, ...hosts.map((host) => tableOf(host, run.comparisons))].join('\n\n');
}

function tableOf(host: Place, all: readonly Comparison<Place>[]): string {
  const comparisons = all.filter((comparison) => comparison.host === host);
  const pairs = pairsIn(comparisons);
  const scenarios = [...new Set(comparisons.map(({ scenario }) => scenario))];
  const head = [
    'scenario',
    ...pairs.map(({ subject, baseline }) => `${subject} / ${baseline}`),
    'A/A',
    'launches, rounds',
  ];
  const rows = scenarios.map((scenario) => {
    const here = comparisons.filter((comparison) => comparison.scenario === scenario);
    const cells = pairs.map((pair) => cell(here.find((comparison) => isOf(comparison, pair))));
    const { launches, rounds } = here[0];
    return [scenario, ...cells, cell(here.find(isControl)), `${launches}, ${rounds}`];
  });
  const lines = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return `On ${HOST_NAMES[host]}:\n\n${lines.join('\n')}`;
}

function isOf(comparison: Comparison<Place>, { subject, baseline }: { subject: string; baseline: string }): boolean {
  return comparison.subject === subject && comparison.baseline === baseline;
}

function cell(comparison: Comparison<Place> | undefined): string {
  if (!comparison) return '';
  return `${ratio(comparison.ratio)} (${interval(comparison.ci95)}) ${comparison.verdict}`;
}
