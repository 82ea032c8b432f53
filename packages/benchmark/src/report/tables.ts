import { median } from 'simple-statistics';
import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { Bar, RecordedComparison, RunRecord } from '../engine/record.ts';
import type { Row } from '../engine/row.ts';
import { isBrokenControl, isControl, type Verdict } from '../statistics/comparison.ts';
import { nameOf, withNames } from './names.ts';

/** A table: its header, and rows with the same number of cells. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** An explanation of ratios, in one line above a table of them. */
export const RATIO_NOTE =
  'Baseline time over subject time, with the 95 % interval: above 1, the subject is faster. “Faster” and “slower” need an ' +
  'interval without 1, an effect above 3 %, three launches and six rounds.';

/** Columns for the baselines. Comparisons that belong to none of them are named in the last column. */
const COLUMNS: readonly (readonly [title: string, isOf: (comparison: RecordedComparison) => boolean])[] = [
  ["Cap'n Web", ({ baseline }) => /^capnweb(-http|-port)?$/.test(baseline)],
  ['– uncompressed', ({ baseline }) => baseline === 'capnweb-plain'],
  ['hand-written', ({ baseline }) => /^(raw(-accept|-port)?|native|JSON)$/.test(baseline)],
  ['– uncompressed', ({ baseline }) => baseline === 'raw-plain'],
  ['A/A', isControl],
];

/**
 * Lays out ratios, with a row for each place, scenario and subject. Those of `lumenize` come first. Scenarios are
 * `called` what they are in the benchmark.
 */
export function ratioTable(comparisons: readonly RecordedComparison[], called = (key: string) => key): Table {
  const groups = Map.groupBy(comparisons, ({ host, scenario, subject }) => [host, scenario, subject].join('\n'));
  const isOther = ([{ subject }]: readonly RecordedComparison[]) => Number(subject !== 'lumenize');
  const rows = [...groups.values()].toSorted((a, b) => isOther(a) - isOther(b));
  return {
    head: ['place', 'scenario', 'subject', ...COLUMNS.map(([title]) => title), 'others'],
    rows: rows.map((own) => {
      const others = own.filter((each) => !COLUMNS.some(([, isOf]) => isOf(each)));
      const [{ host, scenario, subject }] = own;
      return [
        ...[host, called(scenario), nameOf(subject)],
        ...COLUMNS.map(([, isOf]) => own.filter(isOf).map(told).join('; ')),
        others.map((each) => `${nameOf(each.baseline)} ${told(each)}`).join('; '),
      ];
    }),
  };
}

/** Formats a ratio with its interval and verdict. */
export function told({ ratio: value, ci95, verdict }: RecordedComparison): string {
  return `${ratio(value)} (${interval(ci95)}) ${verdict}`;
}

/** Lays out the figures of rows, with a row for each place, scenario and unit, and a column for each subject. */
export function figureTable(rows: readonly Row[]): Table {
  const subjects = [...new Set(rows.map(({ subject }) => subject))];
  const groups = [...Map.groupBy(rows, ({ host, scenario, unit }) => [host, scenario, unit].join('\n')).values()];
  return {
    head: ['place', 'scenario', 'unit', ...subjects.map(nameOf)],
    rows: groups.map((own) => {
      const cells = subjects.map((name) => {
        const row = own.find(({ subject }) => subject === name);
        return row?.value === undefined ? (row?.cannot === undefined ? '' : 'cannot') : figure(row.value);
      });
      return [own[0].host, own[0].scenario, own[0].unit, ...cells];
    }),
  };
}

const VERDICTS: readonly Verdict[] = ['faster', 'slower', 'no difference shown', 'no conclusion'];

/** Counts verdicts, with a row for each pair. Names the slower ones, and the A/A arms that differ. */
export function verdictTable(comparisons: readonly RecordedComparison[]): Table {
  const pairs = Map.groupBy(comparisons, ({ subject, baseline }) =>
    subject === baseline ? 'A/A' : `${nameOf(subject)} against ${nameOf(baseline)}`,
  );
  return {
    head: ['pair', ...VERDICTS, 'which'],
    rows: [...pairs].map(([pair, own]) => {
      const named = own.filter((each) => isBrokenControl(each) || (!isControl(each) && each.verdict === 'slower'));
      const counts = VERDICTS.map((verdict) => own.filter((each) => each.verdict === verdict).length);
      const which = named.map(({ host, scenario, ratio: value }) => `${scenario} on ${host} ${ratio(value)}`);
      return [pair, ...counts.map((count) => String(count || '')), which.join('; ')];
    }),
  };
}

/** Lays out how steady a run was, with a row for each place. */
export function varianceTable({ launches, rows, comparisons }: RunRecord): Table {
  return {
    head: ['place', 'launches', 'blocks vary by', 'A/A', 'not steady after warm-up', 'client late by (p99)'],
    rows: [...Map.groupBy(launches, ({ host }) => host)].map(([host, own]) => {
      const variations = rows.flatMap((row) => (row.host === host ? (row.detail?.blockVariation ?? []) : []));
      const controls = comparisons.flatMap((each) => (each.host === host && isControl(each) ? each.ratio : []));
      const warmUps = own.flatMap((launch) => launch.warmUps ?? []);
      const late = own.flatMap(({ health }) => health?.delayP99Ms ?? []);
      return [
        ...[host, String(own.length)],
        variations.length > 0 ? percent(median(variations)) : '',
        controls.length > 0 ? interval([Math.min(...controls), Math.max(...controls)]) : '',
        warmUps.length > 0 ? `${warmUps.filter(({ steady }) => !steady).length} of ${warmUps.length}` : '',
        late.length > 0 ? `${Math.max(...late).toFixed(1)} ms` : '',
      ];
    }),
  };
}

/** Lays out bars, with a row for each. They are `called` what they are in the benchmark. */
export function barTable(bars: readonly Bar[], called = (key: string) => key): Table {
  const rows = bars.map(({ name, outcome, must, aim = '', measured }) => [
    ...[called(withNames(name)), outcome, must, aim, withNames(measured)],
  ]);
  return { head: ['bar', 'outcome', 'must', 'aim', 'measured'], rows };
}

/** Names the bars that were missed, regardless of the baseline, `called` what they are in the benchmark. */
export function missedBars(bars: readonly Bar[], called = (key: string) => key): string {
  const missed = bars.filter(({ outcome }) => outcome === 'missed');
  const names = new Set(missed.map(({ name }) => called(withNames(name).split(', against')[0])));
  return names.size === 0 ? 'No bar was missed.' : `Missed: ${[...names].join('; ')}.`;
}

/** Formats a figure of any unit with three significant digits, and large figures as integers. */
export function figure(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3);
}

/** Formats a ratio with about three significant digits. */
export function ratio(value: number): string {
  return value.toFixed(value < 0.1 ? 3 : value < 10 ? 2 : 1);
}

/** Formats an interval of ratios. */
export function interval([low, high]: readonly [number, number]): string {
  return `${ratio(low)}–${ratio(high)}`;
}

/** Formats a share as a percentage. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

/** Formats a table as Markdown. Columns that are empty in all rows are left out. */
export function markdownTable({ head, rows }: Table): string {
  const isUsed = (_: unknown, column: number) => rows.length === 0 || rows.some((row) => row[column] !== '');
  const [first, ...others] = [head, ...rows].map((row) => row.filter(isUsed));
  return [first, first.map(() => '---'), ...others].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Formats a table for a terminal or a fenced block. */
export function plainTable({ head, rows }: Table): string {
  return textTable(head, 3, rows);
}

/** Formats lines as a Markdown list. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
