import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { count, ms, ratio, us } from '../log/format.ts';
import { BANDWIDTHS_MBIT, BASES_MS, linkName } from './latency-model.ts';
import { type FunctionCost, stepName } from './results.ts';
import { type Side, STEPS, type Step } from './steps.ts';

const SIDES: readonly Side[] = ['client', 'server'];

/** Returns the steps of every workload, a table each: a column for each side of each subject, in µs per call. */
export function stepTables(results: readonly FigureResult[]): string {
  return [...Map.groupBy(results, ({ scenario }) => scenario)]
    .map(([name, rows]) => stepTable(name, rows))
    .join('\n\n');
}

function stepTable(scenario: string, subjects: readonly FigureResult[]): string {
  const columns = subjects.flatMap(({ subject, detail = {} }) => SIDES.map((side) => ({ subject, side, detail })));
  const steps = (Object.keys(STEPS) as Step[]).filter((step) =>
    columns.some(({ side, detail }) => detail[stepName(side, step)] !== undefined),
  );
  const cell = (value: number | undefined) => (value === undefined ? '' : us(value));
  const rows = steps.map((step) => [step, ...columns.map(({ side, detail }) => cell(detail[stepName(side, step)]))]);
  const sums = columns.map(({ side, detail }) => us(stepSum(side, detail)));
  // Of both sides together, so they stand in the first of a subject's two columns.
  const both = (name: string, of: (result: FigureResult) => string) => [name, ...subjects.flatMap((r) => [of(r), ''])];
  const time = ({ detail = {} }: FigureResult, key: string) => us(detail[key] ?? Number.NaN);
  const rest = (r: FigureResult) => {
    const restUs = (r.detail?.roundTripUs ?? 0) - r.value;
    return restUs > 0 ? us(restUs) : '–';
  };
  const wire = ({ detail = {} }: FigureResult, of: 'frames' | 'bytes') =>
    detail[`${of}Up`] === undefined ? '' : `${count(detail[`${of}Up`])}+${count(detail[`${of}Down`])}`;
  const head = ['', ...columns.map(({ subject, side }) => `${subject} ${side}`)];
  return `${scenario}: µs per call by step\n${textTable(head, 1, [
    ...rows,
    ['all steps', ...sums],
    both('time per call', (r) => time(r, 'roundTripUs')),
    both('neither side', rest),
    both('time, profiled', (r) => time(r, 'profiledRoundTripUs')),
    both('frames up+down', (r) => wire(r, 'frames')),
    both('bytes up+down', (r) => wire(r, 'bytes')),
  ])}`;
}

/** Returns what one side of a call takes in all steps, in µs. */
export function stepSum(side: Side, detail: Readonly<Record<string, number>>): number {
  return (Object.keys(STEPS) as Step[]).reduce((sum, step) => sum + (detail[stepName(side, step)] ?? 0), 0);
}

/** Returns what operations would take over links, a table each: Lumenize RPC's time, and how much longer Cap'n Web's is. */
export function modelTables(results: readonly FigureResult[]): string {
  return [...Map.groupBy(results, ({ scenario }) => scenario)]
    .flatMap(([scenario, rows]) => {
      const [ours, theirs] = ['lumenize', 'capnweb'].map(
        (name) => rows.find(({ subject }) => subject === name)?.detail,
      );
      return ours && theirs ? [modelTable(scenario, ours, theirs)] : [];
    })
    .join('\n\n');
}

function modelTable(scenario: string, ours: Readonly<Record<string, number>>, theirs: typeof ours): string {
  const rows = BANDWIDTHS_MBIT.map((mbitPerSecond) => [
    `${mbitPerSecond} Mbit/s`,
    ...BASES_MS.map((baseMs) => {
      const link = linkName({ baseMs, mbitPerSecond });
      return `${ms(ours[link])} (${ratio(theirs[link] / ours[link])})`;
    }),
  ]);
  const costs = `${count(ours.bytes)} B against ${count(theirs.bytes)} B, round trips ${ours.roundTrips} against ${theirs.roundTrips}`;
  const head = ['', ...BASES_MS.map((base) => `base ${base} ms`)];
  return `${scenario}, MODELLED, not measured: ms with lumenize (times as long with capnweb); ${costs}\n${textTable(head, 1, rows)}`;
}

/** Returns the `top` functions with the most time of their own of each side of each cell, in µs per call. */
export function functionTables(costs: readonly FunctionCost[], top: number): string {
  const cells = Map.groupBy(costs, ({ workload, subject, side }) => `${workload}, ${subject}, ${side}`);
  return [...cells]
    .map(([name, functions]) => {
      const rows = functions.slice(0, top).map(({ selfUs, totalUs, step, name: called, file, line }) => {
        return [us(selfUs), us(totalUs), step, called, file === '' ? '' : `${file}:${line}`];
      });
      return `${name}: µs per call\n${textTable(['self', 'total', 'step', 'function', 'where'], 5, rows)}`;
    })
    .join('\n\n');
}
