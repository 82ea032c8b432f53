import { isControl } from '../statistics/comparison.ts';
import type { ValuesRecord } from '../values/record.ts';
import { conclusion, controlSentences, VERDICTS } from './analysis.ts';
import { type EntryTexts, entryOf } from './entry.ts';
import { list } from './format.ts';
import { HOST_NAMES } from './names.ts';
import { BAR_HEAD, barCells, codecBars } from './values-bars.ts';
import { codecComparisons } from './values-comparisons.ts';
import { codecMatrices } from './values-matrix.ts';
import { codecVariance } from './values-variance.ts';

/** Builds the log's entry of a run of the values family. */
export function buildValuesEntry(record: ValuesRecord, texts: EntryTexts): string {
  const bars = codecBars(record);
  const rows = [BAR_HEAD, BAR_HEAD.map(() => '---'), ...bars.map(barCells)];
  return entryOf(record, texts, {
    configuration: configuration(record, texts.file),
    results: codecMatrices(record),
    comparison: `${codecComparisons(record)}\n\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
    variance: codecVariance(record),
    analysis: codecAnalysis(record),
    conclusion: conclusion(record.comparisons, bars),
  });
}

function configuration(record: ValuesRecord, file: string): string[] {
  const { cpu, cores, os, node, workerd, capnweb, codecs } = record.environment;
  const hosts = [...new Set(record.launches.map(({ host }) => host))];
  const counts = hosts.map((host) => `${HOST_NAMES[host]} (${record.launches.filter((l) => l.host === host).length})`);
  const versions = Object.entries(codecs ?? {}).map(([name, version]) => `, ${name} ${version}`);
  const measured = new Set(record.results.map(({ subject }) => subject));
  const settings = Object.entries(record.codecs)
    .filter(([name]) => measured.has(name))
    .map(([name, { settings: text }]) => `${name} (${text})`);
  return [
    `Profile: ${record.profile}, seed ${record.seed}, ${Math.round(record.durationMs / 1000)} s`,
    `Places, with the number of launches: ${list(counts)}; each launch has a fresh process and, for workerd, a fresh server`,
    'Code generation and native addons: OFF, as in Workers and strict pages, which every launch makes sure of',
    `Codecs: ${settings.join('; ')}`,
    `Versions: Node ${node}, workerd ${workerd}, capnweb ${capnweb}${versions.join('')}`,
    `Machine: ${cpu}, ${cores} cores, ${os}`,
    `All figures: [${file}](${file})`,
  ];
}

/** How often each verdict was given: which with what is in the table, wins and losses alike. */
function codecAnalysis(record: ValuesRecord): string[] {
  const ours = record.comparisons.filter((each) => each.subject === 'lumenize' && !isControl(each));
  const pairs = Map.groupBy(ours, ({ host, baseline }) => `In ${HOST_NAMES[host]}, lumenize against ${baseline}`);
  const sentences = [...pairs].map(([pair, comparisons]) => {
    const parts = VERDICTS.flatMap((verdict) => {
      const { length } = comparisons.filter((each) => each.verdict === verdict);
      return length === 0 ? [] : [`${verdict} with ${length}`];
    });
    return `${pair}, ${comparisons.length} payloads: ${parts.join(', ')}.`;
  });
  return [...controlSentences(record.comparisons), ...sentences];
}
