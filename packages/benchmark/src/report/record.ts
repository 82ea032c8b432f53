import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedComparison, RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { barResults } from './bars.ts';

/** The scenarios whose distributions are drawn. `MAIN` has their subjects. */
export const LATENCIES = ['getValue/sequential', 'increment/sequential', 'connect/first-result', 'latency/ping'];
export const MAIN = ['lumenize', 'capnweb', 'capnweb-plain', 'raw', 'raw-plain'];

/** Returns true if the distribution of a row is drawn. */
export function isDrawn({ host, scenario, subject }: Row): boolean {
  return host === 'workerd' && LATENCIES.includes(scenario) && MAIN.includes(subject);
}

/**
 * Completes a record. Figures are rounded first, so that every statement about a run follows from its file. The file of
 * a whole run is kept for good: it keeps only the distributions that are drawn, and percentiles of the others.
 */
export function completed(record: Omit<RunRecord, 'bars'>): RunRecord {
  const found = rounded(record);
  const rows = found.rows.map((row) => {
    const { samples: _, ...others } = row;
    return record.profile !== 'full' || isDrawn(row) ? row : others;
  });
  return { ...found, rows, bars: barResults(found) };
}

/** Rounds figures to four significant digits, and large figures to integers. */
function rounded<Value>(value: Value): Value {
  const round = (_: string, each: unknown) =>
    typeof each !== 'number' || Number.isInteger(each)
      ? each
      : Math.abs(each) < 1000
        ? Number(each.toPrecision(4))
        : Math.round(each);
  return JSON.parse(JSON.stringify(value, round));
}

/** Returns the content of a run's file. */
export function runText(run: RunRecord): string {
  return `${JSON.stringify(toColumns(run))}\n`;
}

/** Reads the file of a run. */
export function readRun(path: string): RunRecord {
  return fromColumns(JSON.parse(readFileSync(path, 'utf8'))) as RunRecord;
}

/**
 * Reads the runs with rows from a directory of measurements, oldest first. Returns none if the directory is missing.
 */
export function readRecorded(directory: string): RunRecord[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readRun(join(directory, name)))
    .filter(({ schema }) => schema === 2)
    .toSorted((a, b) => (a.takenAt < b.takenAt ? -1 : a.takenAt > b.takenAt ? 1 : 0));
}

/** Returns true if two runs were made on machines of the same kind. */
export function isSameMachine({ environment: a }: RunRecord, { environment: b }: RunRecord): boolean {
  return a.cpu === b.cpu && a.cores === b.cores && a.os === b.os;
}

/** Returns the key of a comparison, by which it is found in another run. */
export function comparisonKey(of: Pick<RecordedComparison, 'host' | 'scenario' | 'subject' | 'baseline'>): string {
  return [of.host, of.scenario, of.subject, of.baseline].join('\n');
}

/** Returns the time of a run, in the format of the log's headings. */
export function takenWhen({ takenAt }: RunRecord): string {
  return takenAt.slice(0, 19).replace('T', ' ');
}

/** Returns the commit of a run, with a mark if the tree differed from it. */
export function hashOf({ commit, dirty }: RunRecord): string {
  return dirty ? `${commit}+dirty` : commit;
}

type Fields = Readonly<Record<string, unknown>>;

/** A list in compact form: names and their indices, the values of a few indices, or the fields of objects. */
type Columns = { readonly length: number } & (
  | { readonly names: readonly string[]; readonly at: readonly number[] }
  | { readonly places: readonly number[]; readonly values: unknown }
  | { readonly fields: Fields }
);

/** The shortest list that is converted. */
const SHORTEST = 4;

/**
 * Converts the lists of a JSON value to columns. A list of objects becomes a list for each field. Repeated words are
 * stored once. A list with gaps becomes its items and their indices. This takes less than half of the bytes, and
 * `fromColumns` reads it. Missing values stay missing; a field whose object is empty becomes missing too.
 */
export function toColumns(value: unknown): unknown {
  if (Array.isArray(value)) return listToColumns(value);
  return isFields(value) ? mapFields(value, toColumns) : value;
}

function listToColumns(list: readonly unknown[]): unknown {
  const there = list.filter((each) => each !== undefined && each !== null);
  const { length } = list;
  if (length < SHORTEST || there.length === 0) return list.map(toColumns);
  if (there.length < length / 2) {
    const places = [...list.keys()].filter((i) => list[i] !== undefined && list[i] !== null);
    return { length, places, values: listToColumns(there) };
  }
  if (there.every(isFields)) {
    const all = Object.assign({}, ...there) as Fields;
    const column = (_: unknown, key: string) => listToColumns(list.map((each) => (each as Fields | undefined)?.[key]));
    return { length, fields: mapFields(all, column) };
  }
  const names = [...new Set(there)] as string[];
  if (names.every((name) => typeof name === 'string') && 2 * names.length <= length)
    return { length, names, at: list.map((each) => names.indexOf(each as string)) };
  return list.map(toColumns);
}

/** Returns the value that was passed to `toColumns`. Any other value is returned unchanged. */
export function fromColumns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromColumns);
  if (!isFields(value)) return value;
  if (typeof value.length !== 'number') return mapFields(value, fromColumns);
  return listFromColumns(value as unknown as Columns);
}

function listFromColumns(columns: Columns): unknown[] {
  const { length } = columns;
  if ('names' in columns) return columns.at.map((i) => columns.names[i]);
  if ('places' in columns) {
    const values = fromColumns(columns.values) as unknown[];
    const list = new Array<unknown>(length).fill(undefined);
    for (const [i, place] of columns.places.entries()) list[place] = values[i];
    return list;
  }
  const lists = Object.entries(columns.fields).map(([key, column]) => [key, fromColumns(column) as unknown[]] as const);
  return Array.from({ length }, (_, i) => {
    const own = lists.flatMap(([key, list]) => (list[i] === undefined || list[i] === null ? [] : [[key, list[i]]]));
    return own.length > 0 ? Object.fromEntries(own) : undefined;
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapFields(fields: Fields, map: (value: unknown, key: string) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, map(value, key)]));
}
