import type { ValuesRecord } from '../values/record.ts';
import { conclusion, controlSentences } from './analysis.ts';
import { textTable } from './text-table.ts';
import { BAR_HEAD, barCells, codecBars } from './values-bars.ts';
import { codecTables } from './values-tables.ts';

/** The tables of a run of the values family as text for a terminal: codecs payload by payload, then the bars. */
export function valuesReport(record: ValuesRecord): string {
  const bars = codecBars(record);
  return [
    codecTables(record),
    textTable(BAR_HEAD, BAR_HEAD.length, bars.map(barCells)),
    [...controlSentences(record.comparisons), ...conclusion(record.comparisons, bars)].join('\n'),
  ].join('\n\n');
}
