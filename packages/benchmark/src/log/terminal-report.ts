import { conclusion } from './analysis.ts';
import type { Told } from './entry.ts';
import { headed } from './sections.ts';
import { textTable } from './text-table.ts';

/** What a run found as text for a terminal: each family's tables, bars and what follows from them. */
export function terminalReport({ record, parts }: Told): string {
  const bars = parts.flatMap(({ entry }) => entry.bars);
  const rows = bars.map(({ name, outcome, must, measured }) => [name, outcome, must, measured]);
  return [
    headed(
      parts,
      '===',
      ({ entry }) => entry.terminal ?? [entry.results, entry.comparison].filter(Boolean).join('\n\n'),
    ),
    ...(bars.length === 0 ? [] : [textTable(['bar', 'outcome', 'must', 'measured'], 2, rows)]),
    conclusion(record.comparisons, bars).join('\n'),
  ].join('\n\n');
}
