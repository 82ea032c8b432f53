import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedComparison, RecordedRun, RecordHead, RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { barResults } from './bars.ts';
import { fromColumns, toColumns } from './columns.ts';

/** Scenarios and subjects whose distributions are drawn. */
export const LATENCIES = ['getValue/sequential', 'increment/sequential', 'connect/first-result', 'latency/ping'];
export const MAIN = ['lumenize', 'capnweb', 'capnweb-plain', 'raw', 'raw-plain'];

/** Tells whether the distribution of a row is drawn. */
export function isDrawn({ host, scenario, subject }: Row): boolean {
  return host === 'workerd' && LATENCIES.includes(scenario) && MAIN.includes(subject);
}

/**
 * Completes a record: its figures are rounded first, so that everything said of a run follows from its file. Of a whole
 * run, whose file is kept for good, only the distributions that are drawn stay, of the others their percentiles.
 */
export function completed(record: Omit<RunRecord, 'bars'>): RunRecord {
  const found = rounded(record);
  const rows = found.rows.map((row) => {
    const { samples: _, ...others } = row;
    return record.profile !== 'full' || isDrawn(row) ? row : others;
  });
  return { ...found, rows, bars: barResults(found) };
}

/** Rounds figures to four significant digits, and large ones to integers. */
function rounded<Value>(value: Value): Value {
  const round = (_: string, each: unknown) =>
    typeof each !== 'number' || Number.isInteger(each)
      ? each
      : Math.abs(each) < 1000
        ? Number(each.toPrecision(4))
        : Math.round(each);
  return JSON.parse(JSON.stringify(value, round));
}

/** Writes what the file of a run has. */
export function runText(run: RecordedRun): string {
  return `${JSON.stringify(toColumns(run))}\n`;
}

/** Reads the file of a run, of any schema. */
export function readRun(path: string): RecordedRun {
  return fromColumns(JSON.parse(readFileSync(path, 'utf8'))) as RecordedRun;
}

/** Reads the runs of a directory of measurements, oldest first; of one that is not there, none. */
export function readRecorded(directory: string): RecordedRun[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readRun(join(directory, name)))
    .toSorted((a, b) => (a.takenAt < b.takenAt ? -1 : a.takenAt > b.takenAt ? 1 : 0));
}

/** Returns the newest run of every family that has rows: files of schema 1 are read for their ratios only. */
export function newestWhole(runs: readonly RecordedRun[]): RunRecord | undefined {
  const isWhole = (run: RecordedRun): run is RunRecord => run.schema === 2 && run.profile === 'full';
  return runs.filter(isWhole).at(-1);
}

/** Tells whether two runs were made on machines of the same kind. */
export function isSameMachine({ environment: a }: RecordHead, { environment: b }: RecordHead): boolean {
  return a.cpu === b.cpu && a.cores === b.cores && a.os === b.os;
}

/** Returns what a comparison is of, by which it is found in another run. */
export function comparisonKey(of: Pick<RecordedComparison, 'host' | 'scenario' | 'subject' | 'baseline'>): string {
  return [of.host, of.scenario, of.subject, of.baseline].join('\n');
}

/** Returns when a run was made, as the log's headings have it. */
export function takenWhen({ takenAt }: RecordHead): string {
  return takenAt.slice(0, 19).replace('T', ' ');
}

/** Returns the commit of a run, marked where the tree differed from it. */
export function hashOf({ commit, dirty }: RecordHead): string {
  return dirty ? `${commit}+dirty` : commit;
}
