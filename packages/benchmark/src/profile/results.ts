import { median, sum } from 'simple-statistics';
import type { UnavailableResult } from '../blocks/record.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { ALL_CELLS } from './cells.ts';
import type { FunctionSamples } from './fold.ts';
import { BANDWIDTHS_MBIT, BASES_MS, linkName, modelledMs, segmentedBytes } from './latency-model.ts';
import type { CellReport, ProfileReport, UnavailableCell } from './plan.ts';
import { type Side, STEPS, type Step } from './steps.ts';
import { workloadNamed } from './workloads.ts';

const FAMILY = 'profile';
const HOST = 'workerd';
const SIDES = ['client', 'server'] as const satisfies readonly Side[];

/** The link whose figure stands for an operation's others. */
const USUAL_LINK = { baseMs: 50, mbitPerSecond: 10 };

/** What one function takes, in µs per call. */
export interface FunctionCost extends Pick<FunctionSamples, 'name' | 'file' | 'line' | 'step'> {
  readonly workload: string;
  readonly subject: string;
  readonly side: Side;
  readonly selfUs: number;
  readonly totalUs: number;
}

/** The name that a step's figure has in a result. */
export function stepName(side: Side, step: Step): string {
  return `${side}${step[0].toUpperCase()}${step.slice(1)}Us`;
}

/** Gathers what launches found of all cells: one row each, and one for what it would take over links. */
export function gatherProfiles(reports: readonly ProfileReport[]): (FigureResult | UnavailableResult)[] {
  return cellsOf(reports).flatMap((cells): (FigureResult | UnavailableResult)[] => {
    const first = cells[0];
    if ('unavailable' in first) return [unavailable(first)];
    const measured = cells as readonly CellReport[];
    return [profileRow(measured), ...modelRow(measured)];
  });
}

/** Returns what every function takes, those that take most of a side of a cell first. */
export function functionCosts(reports: readonly ProfileReport[]): FunctionCost[] {
  return cellsOf(reports).flatMap((cells) => {
    const measured = cells.filter((cell): cell is CellReport => !('unavailable' in cell));
    return SIDES.flatMap((side) => costsOn(side, measured));
  });
}

function costsOn(side: Side, cells: readonly CellReport[]): FunctionCost[] {
  const calls = sum(cells.map(({ profiled }) => profiled.calls));
  const found = new Map<string, FunctionCost>();
  for (const { workload, subject, profiled } of cells) {
    for (const { self, total, ...written } of profiled[side].functions) {
      const key = `${written.name} ${written.file} ${written.line}`;
      const { selfUs = 0, totalUs = 0 } = found.get(key) ?? {};
      found.set(key, {
        ...{ ...written, workload, subject, side },
        selfUs: selfUs + (self * profiled.tickUs) / calls,
        totalUs: totalUs + (total * profiled.tickUs) / calls,
      });
    }
  }
  return [...found.values()].toSorted((a, b) => b.selfUs - a.selfUs);
}

function profileRow(cells: readonly CellReport[]): FigureResult {
  const { calls: perSample } = workloadNamed(cells[0].workload);
  const steps = SIDES.flatMap((side) =>
    (Object.keys(STEPS) as Step[]).map((step) => [stepName(side, step), stepUs(cells, side, step)] as const),
  );
  const wire = cells.find((cell) => cell.wire)?.wire;
  const perCall = (count: number) => count / perSample;
  return {
    ...about(cells[0], 'profile'),
    unit: 'us',
    value: sum(steps.map(([, us]) => us)),
    n: cells.length,
    detail: {
      ...Object.fromEntries(steps.filter(([, us]) => us > 0)),
      calls: sum(cells.map(({ profiled }) => profiled.calls)),
      roundTripUs: perCall(median(cells.map(({ sampleUs }) => sampleUs))),
      profiledRoundTripUs: perCall(median(cells.map(({ profiled }) => profiled.sampleUs))),
      leastUs: Math.min(...cells.map((cell) => busyUs([cell]))),
      mostUs: Math.max(...cells.map((cell) => busyUs([cell]))),
      ...(wire && {
        framesUp: perCall(wire.framesUp),
        framesDown: perCall(wire.framesDown),
        bytesUp: perCall(wire.bytesUp),
        bytesDown: perCall(wire.bytesDown),
      }),
    },
  };
}

function stepUs(cells: readonly CellReport[], side: Side, step: Step): number {
  const us = sum(cells.map(({ profiled }) => (profiled[side].steps[step] ?? 0) * profiled.tickUs));
  return us / sum(cells.map(({ profiled }) => profiled.calls));
}

function busyUs(cells: readonly CellReport[]): number {
  return sum(SIDES.flatMap((side) => (Object.keys(STEPS) as Step[]).map((step) => stepUs(cells, side, step))));
}

function modelRow(cells: readonly CellReport[]): FigureResult[] {
  const wire = cells.find((cell) => cell.wire)?.wire;
  if (wire?.roundTrips === undefined) return [];
  const cost = {
    roundTrips: wire.roundTrips,
    bytes: segmentedBytes(wire.answeredBytesUp) + segmentedBytes(wire.answeredBytesDown),
    processingUs: median(cells.map(({ sampleUs }) => sampleUs)),
  };
  const links = BANDWIDTHS_MBIT.flatMap((mbitPerSecond) => BASES_MS.map((baseMs) => ({ baseMs, mbitPerSecond })));
  return [
    {
      ...about(cells[0], 'modelled'),
      unit: 'ms',
      value: modelledMs(cost, USUAL_LINK),
      n: cells.length,
      detail: { ...cost, ...Object.fromEntries(links.map((link) => [linkName(link), modelledMs(cost, link)])) },
    },
  ];
}

function unavailable(cell: UnavailableCell): UnavailableResult {
  return { ...about(cell, 'profile'), unavailable: cell.unavailable };
}

function about({ workload, subject }: { workload: string; subject: string }, kind: 'profile' | 'modelled') {
  return { family: FAMILY, scenario: `${kind}/${workload}`, subject, host: HOST } as const;
}

/** The launches' reports of each cell, in the order of the tables. */
function cellsOf(reports: readonly ProfileReport[]): (readonly (CellReport | UnavailableCell)[])[] {
  const all = reports.flatMap(({ cells }) => cells);
  return ALL_CELLS.map((cell) =>
    all.filter(({ workload, subject }) => workload === cell.workload && subject === cell.subject),
  ).filter((cells) => cells.length > 0);
}
