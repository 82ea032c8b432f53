import { textTable } from '../../../../tools/text-table/text-table.ts';
import type { BlockFindings } from '../blocks/record.ts';
import type { FamilyEntry } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { blocksEntry } from '../log/blocks-entry.ts';
import { list, ms } from '../log/format.ts';
import { HOST_NAMES, subjectName } from '../log/names.ts';
import type { ThroughputFindings } from './measure.ts';
import { MOST_WITHIN, OBJECTIVE_P99_MS } from './most-within.ts';

const CONFIGURATION = [
  'Closed loop: 20 connections to one counter, each with 1, 2, 4, 8 or 16 increment() in flight; a caller calls again when it has its answer; the answers’ sum and the counter are verified after each block',
  `Objective: p99 below ${OBJECTIVE_P99_MS} ms; the most calls/s of any of these numbers in flight that met it`,
  'The sockets of Lumenize RPC are not compressed, those of Cap’n Web and raw JSON are, as Workers do by default; capnweb-plain and raw-plain turn that off',
  'The load generator is one process beside the server on the same machine: what a subject’s own client costs is part of what is measured',
];

/** Puts what was found of throughput into words and tables. */
export function throughputEntry({ launches, comparisons, results }: ThroughputFindings): FamilyEntry {
  const most = results.filter((each): each is FigureResult => each.scenario === MOST_WITHIN && 'value' in each);
  const blocks = results.filter((each): each is BlockFindings['results'][number] => !('value' in each));
  const ascending = { comparisons: comparisons.toSorted(byLoad), results: blocks.toSorted(byLoad) };
  const entry = blocksEntry({ launches, ...ascending }, CONFIGURATION);
  const table = mostTable(most);
  return {
    ...entry,
    results: [entry.results, table].filter(Boolean).join('\n\n'),
    analysis: [...entry.analysis, ...sentences(most)],
    terminal: [table, entry.terminal!].filter(Boolean).join('\n\n'),
  };
}

/** What is measured first is what most depends on; what is read goes from few calls in flight to many. */
function byLoad(a: { readonly scenario: string }, b: { readonly scenario: string }): number {
  const inFlight = ({ scenario }: { readonly scenario: string }) => Number(/x(\d+)$/.exec(scenario)?.[1] ?? 0);
  return inFlight(a) - inFlight(b);
}

function mostTable(most: readonly FigureResult[]): string {
  if (most.length === 0) return '';
  const rows = most.map(({ host, subject, value, detail }) => {
    const { connections, callsInFlightPerConnection, p50Ms, p75Ms, p95Ms, p99Ms } = detail!;
    const load = `${connections} × ${callsInFlightPerConnection}`;
    return [HOST_NAMES[host], subject, Math.round(value), load, ...[p50Ms, p75Ms, p95Ms, p99Ms].map(ms)];
  });
  const head = ['host', 'subject', 'calls/s', 'connections × in flight', 'p50 ms', 'p75', 'p95', 'p99'];
  return `Most calls per second with p99 below ${OBJECTIVE_P99_MS} ms\n${textTable(head, 2, rows)}`;
}

function sentences(most: readonly FigureResult[]): string[] {
  return [...Map.groupBy(most, ({ host }) => host)].map(([host, figures]) => {
    const parts = figures.map(({ subject, value }) => `${subjectName(subject)} ${Math.round(value)}`);
    return `Most calls per second with p99 below ${OBJECTIVE_P99_MS} ms on ${HOST_NAMES[host]}: ${list(parts)}; these figures come without an interval.`;
  });
}
