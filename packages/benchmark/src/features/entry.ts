import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { BlockFindings } from '../blocks/record.ts';
import type { FamilyEntry } from '../families/family.ts';
import { controlSentences, VERDICTS } from '../log/analysis.ts';
import { blocksEntry } from '../log/blocks-entry.ts';
import { list } from '../log/format.ts';
import { HOST_NAMES } from '../log/names.ts';
import { resultTables } from '../log/result-tables.ts';
import { unavailableResults } from '../run-record.ts';
import { isControl } from '../statistics/comparison.ts';
import { FEATURE_NAMES, FEATURES } from './feature.ts';
import { cells, FEATURE_HEAD, type FeatureTable, featureTables } from './tables.ts';

const NOTE =
  'Each feature against the same calls without any, in the same launches. µs added: the median time of those by the ratio, ' +
  'in brackets by its 95 % interval. Ratio: their time over that with the feature, below 1 where it takes longer; ' +
  '“slower” needs an interval without 1 and an effect above 3 %. p99 is of a call, or of a turn of 100; its ratio has a reading a launch.';

/** Puts what features cost into words and tables. */
export function featureEntry(found: BlockFindings): FamilyEntry {
  const tables = featureTables(found);
  const times = resultTables(found);
  const texts = tables.map((table) => `${titleOf(table)}\n${textTable(FEATURE_HEAD, 1, table.rows.map(cells))}`);
  return {
    ...blocksEntry(found, [
      'increment(1) on a counter in SQLite, one call at a time and 100 in one turn; a fresh object and a fresh connection for each block',
      `Lumenize RPC with ${list(FEATURES.map((feature) => `${feature} (${FEATURE_NAMES[feature]})`))}`,
    ]),
    results: times,
    comparison: tables.length === 0 ? '' : [NOTE, ...tables.map(markdown)].join('\n\n'),
    analysis: [
      ...controlSentences(found.comparisons),
      ...tables.flatMap((table) => verdictSentence(found, table)),
      ...unavailableSentence(found),
    ],
    terminal: [times, ...texts].join('\n\n'),
  };
}

function titleOf({ scenario, host }: FeatureTable): string {
  return `${scenario} on ${HOST_NAMES[host]}`;
}

function markdown(table: FeatureTable): string {
  const lines = [FEATURE_HEAD, FEATURE_HEAD.map(() => '---'), ...table.rows.map(cells)].map(
    (row) => `| ${row.join(' | ')} |`,
  );
  return `${titleOf(table)}:\n\n${lines.join('\n')}`;
}

/** Which features were found to cost something, and of which that was not shown. */
function verdictSentence(found: BlockFindings, table: FeatureTable): string[] {
  const { host, scenario, rows } = table;
  const here = found.comparisons.filter((each) => !isControl(each) && each.host === host && each.scenario === scenario);
  const parts = VERDICTS.flatMap((verdict) => {
    const matching = here.filter((each) => each.verdict === verdict);
    if (matching.length === 0) return [];
    const named = matching.map(({ subject }) => {
      const told = rows.find(({ feature }) => feature === subject)?.told;
      return verdict === 'no conclusion' ? subject : `${subject} (${told})`;
    });
    return [`${verdict} with ${list(named)}`];
  });
  return parts.length === 0 ? [] : [`${titleOf(table)}, against nothing beside calling: ${parts.join('; ')}.`];
}

function unavailableSentence(found: BlockFindings): string[] {
  const why = new Map(unavailableResults(found).map(({ subject, unavailable }) => [subject, unavailable]));
  return [...why].map(([subject, reason]) => `What ${subject} costs is not measured: ${reason}.`);
}
