import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedComparison, RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { barResults } from './bars.ts';

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
export function runText(run: RunRecord): string {
  return `${JSON.stringify(toColumns(run))}\n`;
}

/** Reads the file of a run. */
export function readRun(path: string): RunRecord {
  return fromColumns(JSON.parse(readFileSync(path, 'utf8'))) as RunRecord;
}

/** Reads the runs of a directory of measurements that have rows, oldest first; of one that is not there, none. */
export function readRecorded(directory: string): RunRecord[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .map((name) => readRun(join(directory, name)))
    .filter(({ schema }) => schema === 2)
    .toSorted((a, b) => (a.takenAt < b.takenAt ? -1 : a.takenAt > b.takenAt ? 1 : 0));
}

/** Tells whether two runs were made on machines of the same kind. */
export function isSameMachine({ environment: a }: RunRecord, { environment: b }: RunRecord): boolean {
  return a.cpu === b.cpu && a.cores === b.cores && a.os === b.os;
}

/** Returns what a comparison is of, by which it is found in another run. */
export function comparisonKey(of: Pick<RecordedComparison, 'host' | 'scenario' | 'subject' | 'baseline'>): string {
  return [of.host, of.scenario, of.subject, of.baseline].join('\n');
}

/** Returns when a run was made, as the log's headings have it. */
export function takenWhen({ takenAt }: RunRecord): string {
  return takenAt.slice(0, 19).replace('T', ' ');
}

/** Returns the commit of a run, marked where the tree differed from it. */
export function hashOf({ commit, dirty }: RunRecord): string {
  return dirty ? `${commit}+dirty` : commit;
}

type Fields = Readonly<Record<string, unknown>>;

/** A list in another form: names and places in them, the values of a few places, or objects by their fields. */
type Columns = { readonly length: number } & (
  | { readonly names: readonly string[]; readonly at: readonly number[] }
  | { readonly places: readonly number[]; readonly values: unknown }
  | { readonly fields: Fields }
);

/** Lists shorter than this stay as they are. */
const SHORTEST = 4;

/**
 * Returns what JSON has of a value with its lists in columns: of objects a list for each field, of words that repeat each
 * once, of a list with gaps what is in it. It takes less than half of the bytes, and `fromColumns` reads it. What is missing
 * stays so; a field whose object has nothing in it is missing too.
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

/** Returns the value that `toColumns` was given; another one stays as it is. */
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
