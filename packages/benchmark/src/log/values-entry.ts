import type { FamilyEntry } from '../families/family.ts';
import { isControl } from '../statistics/comparison.ts';
import type { ValuesFindings } from '../values/record.ts';
import { controlSentences, VERDICTS } from './analysis.ts';
import { list } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { codecBars } from './values-bars.ts';
import { codecComparisons } from './values-comparisons.ts';
import { codecMatrices } from './values-matrix.ts';
import { codecTables } from './values-tables.ts';
import { codecVariance } from './values-variance.ts';

/** Puts what was found of codecs into words and tables. */
export function valuesEntry(found: ValuesFindings): FamilyEntry {
  return {
    configuration: configuration(found),
    results: codecMatrices(found),
    comparison: codecComparisons(found),
    variance: codecVariance(found),
    analysis: codecAnalysis(found),
    bars: codecBars(found),
    terminal: codecTables(found),
  };
}

function configuration({ launches, versions, codecs, results }: ValuesFindings): string[] {
  const hosts = [...new Set(launches.map(({ host }) => host))];
  const counts = hosts.map((host) => `${HOST_NAMES[host]} (${launches.filter((l) => l.host === host).length})`);
  const measured = new Set(results.map(({ subject }) => subject));
  const settings = Object.entries(codecs)
    .filter(([name]) => measured.has(name))
    .map(([name, { settings: text }]) => `${name} (${text})`);
  return [
    `Places, with the number of launches: ${list(counts)}; each launch has a fresh process and, for workerd, a fresh server`,
    'Code generation and native addons: OFF, as in Workers and strict pages, which every launch makes sure of',
    `Codecs: ${settings.join('; ')}`,
    `Versions: ${list(Object.entries(versions).map(([name, version]) => `${name} ${version}`))}`,
  ];
}

/** How often each verdict was given: which with what is in the table, wins and losses alike. */
function codecAnalysis(found: ValuesFindings): string[] {
  const ours = found.comparisons.filter((each) => each.subject === 'lumenize' && !isControl(each));
  const pairs = Map.groupBy(ours, ({ host, baseline }) => `In ${HOST_NAMES[host]}, lumenize against ${baseline}`);
  const sentences = [...pairs].map(([pair, comparisons]) => {
    const parts = VERDICTS.flatMap((verdict) => {
      const { length } = comparisons.filter((each) => each.verdict === verdict);
      return length === 0 ? [] : [`${verdict} with ${length}`];
    });
    return `${pair}, ${comparisons.length} payloads: ${parts.join(', ')}.`;
  });
  return [...controlSentences(found.comparisons), ...sentences];
}
