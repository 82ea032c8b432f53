import type { BlockFindings } from '../blocks/record.ts';
import type { FamilyEntry } from '../families/family.ts';
import { analysis } from './analysis.ts';
import { barResults } from './bars.ts';
import { comparisonList, comparisonTables } from './comparison-tables.ts';
import { list } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { resultTables } from './result-tables.ts';
import { upstreamLines } from './upstream-lines.ts';
import { variance } from './variance.ts';

/** Puts what was measured in blocks into words and tables; `configuration` says what was called. */
export function blocksEntry(found: BlockFindings, configuration: readonly string[]): FamilyEntry {
  const tables = resultTables(found);
  const results = [upstreamLines(found, 'workerd'), upstreamLines(found, 'wrangler-dev'), tables];
  return {
    configuration: [hosts(found), ...configuration],
    results: results.filter(Boolean).join('\n\n'),
    comparison: comparisonTables(found),
    variance: variance(found),
    analysis: analysis(found),
    bars: barResults(found),
    terminal: [tables, comparisonList(found)].join('\n\n'),
  };
}

function hosts({ launches }: BlockFindings): string {
  const names = [...new Set(launches.map(({ host }) => host))];
  const counts = names.map((host) => `${HOST_NAMES[host]} (${launches.filter((l) => l.host === host).length})`);
  return `Hosts, with the number of launches: ${list(counts)}; each launch has a fresh server and a fresh client process`;
}
