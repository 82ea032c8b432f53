import { conclusion } from './analysis.ts';
import { barText } from './bars.ts';
import type { Told } from './entry.ts';
import { headed } from './sections.ts';

/** What a run found as text for a terminal: each family's tables, bars and what follows from them. */
export function terminalReport({ record, parts }: Told): string {
  const { bars } = record;
  return [
    headed(
      parts,
      '===',
      ({ entry }) => entry.terminal ?? [entry.results, entry.comparison].filter(Boolean).join('\n\n'),
    ),
    ...(bars.length === 0 ? [] : [barText(bars)]),
    conclusion(record.comparisons, bars).join('\n'),
  ].join('\n\n');
}
