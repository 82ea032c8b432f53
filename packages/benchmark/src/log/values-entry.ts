import type { ValuesRecord } from '../values/record.ts';
import { conclusion, controlSentences, pairSentence } from './analysis.ts';
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

function codecAnalysis(record: ValuesRecord): string[] {
  const hosts = [...new Set(record.comparisons.map(({ host }) => host))];
  const others = Object.keys(record.codecs).filter((name) => name !== 'lumenize');
  const pairs = hosts.flatMap((host) => {
    const here = record.comparisons.filter((each) => each.host === host);
    return others.flatMap((baseline) => pairSentence(here, { subject: 'lumenize', baseline }));
  });
  return [...controlSentences(record.comparisons), ...pairs];
}
