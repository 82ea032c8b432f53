import { textTable } from '../../../../tools/text-table/text-table.ts';
import { ms } from '../log/format.ts';
import type { OverloadReason, Rung } from './load/rung.ts';
import type { CapacityResult, LaunchedLadder } from './record.ts';

const METHODS = { noop: 'a call that does nothing', insert: 'an SQLite write' } as const;

const HEAD = [
  'subject',
  'ladders',
  'clean knee',
  'lowest–highest',
  'p50 ms there',
  'p99 ms there',
  'first overload',
  'because of',
  'peak completed',
  'recovery ms',
];

/** Returns what a cell is called. */
export function cellTitle({ method, objects }: Pick<CapacityResult, 'method' | 'objects'>): string {
  return `${METHODS[method]}, ${objects === 1 ? 'one object' : `${objects} objects`}`;
}

/** A table for each method and number of objects: a row for each subject, medians over its ladders. */
export function capacityTables(results: readonly CapacityResult[]): string {
  return [...Map.groupBy(results, ({ scenario }) => scenario).values()].map(table).join('\n\n');
}

function table(results: readonly CapacityResult[]): string {
  return `${cellTitle(results[0])}: calls per second\n${textTable(HEAD, 1, results.map(row))}`;
}

function row(result: CapacityResult): (string | number)[] {
  const { subject, ladders, kneePerSecond, firstOverloadPerSecond, peakCompletedPerSecond } = result;
  const knees = ladders.flatMap((ladder) => ladder.kneePerSecond ?? []);
  const last = ladders.flatMap((ladder) => lastAt(ladder, ladder.kneePerSecond) ?? []);
  const latest = last.at(-1);
  return [
    subject,
    ladders.length,
    perSecond(kneePerSecond, 'none'),
    knees.length < 2 ? '' : `${Math.min(...knees)}–${Math.max(...knees)}`,
    latest ? ms(latest.p50Ms) : '–',
    latest ? ms(latest.p99Ms) : '–',
    perSecond(firstOverloadPerSecond, 'not reached'),
    reasonsOf(ladders).join(', '),
    perSecond(peakCompletedPerSecond, '–'),
    recovery(result),
  ];
}

function perSecond(value: number | undefined, otherwise: string): string {
  return value === undefined ? otherwise : String(Math.round(value));
}

/** All reasons of the first overloads, the most frequent ones first. */
function reasonsOf(ladders: readonly LaunchedLadder[]): OverloadReason[] {
  const reasons = ladders.flatMap((ladder) => lastAt(ladder, ladder.firstOverloadPerSecond)?.reasons ?? []);
  const counts = new Map<OverloadReason, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([reason]) => reason);
}

/** The last rung at a load: of one that was offered twice, that by which it was judged. */
function lastAt({ rungs }: LaunchedLadder, perSecond: number | undefined): Rung | undefined {
  return rungs.findLast(({ offeredPerSecond }) => offeredPerSecond === perSecond);
}

function recovery({ ladders, recoveredAfterMs }: CapacityResult): string {
  if (recoveredAfterMs !== undefined) return String(Math.round(recoveredAfterMs));
  const overloads = ladders.flatMap((ladder) => ladder.recovery?.overload ?? []);
  if (overloads.length === 0) return '–';
  return overloads.some(({ reasons }) => reasons.length > 0) ? 'not within the time watched' : 'was no overload';
}
