import type { RunRecord } from '../run-record.ts';
import { isControl } from '../statistics/comparison.ts';
import { conclusion } from './analysis.ts';
import { barResults } from './bars.ts';
import { interval, ratio } from './format.ts';
import { resultTables } from './result-tables.ts';
import { textTable } from './text-table.ts';

/** The tables of a run as text for a terminal: results, comparisons, bars and what follows from them. */
export function terminalReport(run: RunRecord): string {
  const bars = barResults(run);
  const comparisons = run.comparisons.map((each) => [
    each.host,
    each.scenario,
    isControl(each) ? `${each.subject} / itself` : `${each.subject} / ${each.baseline}`,
    each.verdict,
    ratio(each.ratio),
    interval(each.ci95),
    `${each.launches}, ${each.rounds}`,
  ]);
  const head = ['host', 'scenario', 'subject / baseline', 'verdict', 'ratio', '95 % interval', 'launches, rounds'];
  return [
    resultTables(run),
    `Baseline time over subject time: above 1, the subject is faster\n${textTable(head, 4, comparisons)}`,
    textTable(
      ['bar, on workerd', 'outcome', 'must', 'measured'],
      2,
      bars.map(({ name, outcome, must, measured }) => [name, outcome, must, measured]),
    ),
    conclusion(run.comparisons, bars).join('\n'),
  ].join('\n\n');
}
