import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@lumenize/hosts/root';
import type { RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { CHARTS, drawn } from './charts.ts';
import { readmeOf } from './documents.ts';
import { replaceFile } from './log.ts';
import { nameOf, scenarioName } from './names.ts';
import { hashOf, readRecorded, readRun, takenWhen } from './record.ts';
import { renderSvg } from './render.ts';
import {
  barTable,
  bullets,
  figure,
  markdownTable,
  missedBars,
  RATIO_NOTE,
  ratioTable,
  type Table,
  varianceTable,
} from './tables.ts';

const README = 'README.md';

/**
 * Returns the files that `npm run tool -- report` writes below the repository or another `root`, by path. These are the page
 * and the charts of the newest whole run, and the README with its figures. Returns no files if there is no such run.
 */
export async function reportFiles(root: string = ROOT): Promise<Map<string, string>> {
  const runs = readRecorded(join(root, 'measurements'));
  const run = runs.findLast(({ profile }) => profile === 'full');
  if (!run) return new Map();
  const files = [...(await pageOf(run, runs))].map(([path, text]) => [`measurements/${path}`, text] as const);
  const readme = join(root, README);
  return new Map(existsSync(readme) ? [...files, [README, readmeOf(run, readFileSync(readme, 'utf8'))]] : files);
}

/** Writes these files, and removes charts that are not among them. Resolves with their paths. */
export async function refreshReport(root: string = ROOT): Promise<string[]> {
  const files = await reportFiles(root);
  if (files.size === 0) return [];
  const charts = 'measurements/charts';
  const old = existsSync(join(root, charts)) ? readdirSync(join(root, charts)) : [];
  for (const name of old) if (!files.has(`${charts}/${name}`)) rmSync(join(root, charts, name));
  for (const [path, text] of files) replaceFile(join(root, path), text);
  return [...files.keys()];
}

/**
 * Writes the page and the charts of the run in `file` into a directory beside the others. Resolves with the path of the
 * directory.
 */
export async function reportRun(file: string, root: string = ROOT): Promise<string> {
  const run = readRun(file);
  if (run.schema !== 2) throw new Error(`${file} is of another schema: its tables are in its entry`);
  const runs = readRecorded(join(root, 'measurements')).filter(({ takenAt }) => takenAt <= run.takenAt);
  const directory = join(root, 'measurements/pages', run.takenAt.slice(0, 19).replaceAll(':', '-'));
  for (const [path, text] of await pageOf(run, runs)) replaceFile(join(directory, path), text);
  return directory;
}

/**
 * Creates the page of a run and its charts, by their paths relative to the page. They show everything in the run's
 * file, and the history of `runs`, oldest first.
 */
export async function pageOf(run: RunRecord, runs: readonly RunRecord[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const images: string[] = [];
  for (const chart of CHARTS) {
    const spec = drawn(chart, run, runs);
    if (!spec) continue;
    files.set(`charts/${chart.name}.svg`, await renderSvg(spec));
    images.push(`![${chart.title}](charts/${chart.name}.svg)`);
  }
  const { cpu, cores, os, node, workerd, capnweb } = run.environment;
  const written = (table: Table) => (table.rows.length > 0 ? markdownTable(table) : '');
  const sections = [
    ['Charts', images.join('\n\n')],
    ['Bars', barsOf(run)],
    ['Variance', written(varianceTable(run))],
    ...run.families.map(({ name, configuration }) => {
      const of = ({ family }: { readonly family: string }) => family === name;
      const tables = [ratioTable(run.comparisons.filter(of), scenarioName), rowTable(run.rows.filter(of))];
      const parts = [bullets(configuration), ...tables.map(written)];
      return [`Family ${name}`, parts.filter(Boolean).join('\n\n')];
    }),
  ];
  const page = `# Measurements of ${takenWhen(run)}

Made by \`npm run tool -- report\` from the file of the run: commit ${hashOf(run)}, profile ${run.profile}, ${cpu}, ${cores} cores, ${os},
Node ${node}, workerd ${workerd}, Cap'n Web ${capnweb}. [The log](../MEASUREMENTS.md) has its entry,
[the page about the benchmark](../docs/benchmarks.md) says how it was measured. Ratios: ${RATIO_NOTE}

${sections.flatMap(([title, text]) => (text === '' ? [] : [`## ${title}\n\n${text}`])).join('\n\n')}
`;
  return files.set(README, page);
}

/** Names the bars that a run has missed, above the table of all. */
function barsOf({ bars }: RunRecord): string {
  if (bars.length === 0) return '';
  return [
    `The goals that this project has set itself: [what limits those that are missed](../docs/internals/profile.md#what-is-left).`,
    missedBars(bars, scenarioName),
    markdownTable(barTable(bars, scenarioName)),
  ].join('\n\n');
}

/** Details about how often a row was measured. `n` and the interval show this better. */
const COUNTS = /^(launches|blocks|blockOperations|operationsPerSample|samples|connectionsWanted|openFilesLimit)$/;

/**
 * Lays out the figures of rows, with a column for each figure that any row has. Places and scenarios are named once.
 */
function rowTable(rows: readonly Row[]): Table {
  const all = new Set(rows.flatMap(({ detail = {} }) => Object.keys(detail)));
  const names = [...all].filter((name) => !COUNTS.test(name));
  const quantiles = ['mean', 'p95', 'p99'] as const;
  const cell = (value: number | undefined) => (value === undefined ? '' : figure(value));
  return {
    head: ['place', 'scenario', 'subject', 'unit', 'figure', '95 %', 'n', ...quantiles, ...names, 'cannot'],
    rows: rows.map(({ host, scenario, subject, unit, value, ci95, n, summary, detail, cannot = '' }, i) => [
      ...(rows[i - 1]?.host === host && rows[i - 1].scenario === scenario ? ['', ''] : [host, scenarioName(scenario)]),
      ...[nameOf(subject), unit, cell(value), ci95 ? ci95.map(figure).join('–') : '', cell(n)],
      ...quantiles.map((name) => cell(summary?.[name])),
      ...names.map((name) => cell(detail?.[name])),
      cannot.replaceAll('|', '\\|').replaceAll('\n', ' '),
    ]),
  };
}

// npm run tool -- report: writes measurements/README.md and its charts, and the tables of README.md, from the newest whole run
// in measurements/. With a file: writes the page of that run into measurements/pages.
if (import.meta.main) {
  const [file] = process.argv.slice(2);
  const written = file ? [await reportRun(file)] : await refreshReport();
  process.stdout.write(written.length > 0 ? `Wrote ${written.join(', ')}\n` : 'There is no whole run to draw yet\n');
}
