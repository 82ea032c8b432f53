import Table from 'cli-table3';
import type { CallRecord } from './driver/history.ts';
import type { Run } from './driver/run-program.ts';

/** The number of calls with each feature that ran during each kind of fault. */
export type Coverage = Record<string, Record<string, number>>;

/** Adds the features of the calls of a run, and the faults they met. */
export function cover(coverage: Coverage, { history }: Run): void {
  const faults = Object.keys(history.faults);
  if (faults.length === 0) faults.push('none');
  for (const call of history.calls) {
    for (const feature of featuresOf(call)) {
      coverage[feature] ??= {};
      const counts = coverage[feature];
      for (const fault of faults) counts[fault] = (counts[fault] ?? 0) + 1;
    }
  }
}

function featuresOf({ method, spec, uses, mapped, ok, told }: CallRecord): string[] {
  const features = [
    `delivery: ${method.delivery}`,
    `runs: ${method.shape}`,
    `waits: ${method.wait}`,
    `does: ${method.does}`,
    `takes: ${method.takes}`,
    `returns: ${method.returns}`,
    `outcome: ${ok ? 'ok' : (told?.code ?? (told ? 'thrown' : 'pending'))}`,
    `way: ${spec.ways.length === 0 ? 'none' : spec.how}`,
  ];
  if (method.guard !== 'none') features.push(`guard: ${method.guard}`);
  if (method.schema !== 'none') features.push(`schema: ${method.schemaList ? 'list of ' : ''}${method.schema}`);
  if (method.hidden) features.push('hidden by an own field');
  if (method.ends !== undefined) features.push(`ends: ${method.ends === 'object' ? 'its object' : 'its connection'}`);
  if (spec.refuse !== undefined) features.push(`asks for: ${spec.refuse}`);
  if (spec.limit !== undefined) features.push('timeoutMs' in spec.limit ? 'time limit' : 'signal');
  if (uses !== undefined) features.push('uses a result');
  if (mapped !== undefined) features.push('map');
  if (spec.leaveAfter !== undefined) features.push('leaves early');
  if (spec.pauseMs !== undefined) features.push('reads slowly');
  if (spec.weight !== undefined) features.push('large arguments');
  return features;
}

export function mergeCoverage(into: Coverage, from: Coverage): void {
  for (const [feature, counts] of Object.entries(from)) {
    into[feature] ??= {};
    const own = into[feature];
    for (const [fault, count] of Object.entries(counts)) own[fault] = (own[fault] ?? 0) + count;
  }
}

/** Returns a table of features by faults. */
export function coverageTable(coverage: Coverage): string {
  const faults = [...new Set(Object.values(coverage).flatMap((counts) => Object.keys(counts)))].sort();
  const table = new Table({ head: ['calls', ...faults], style: { head: [], border: [] } });
  for (const feature of Object.keys(coverage).sort()) {
    table.push([feature, ...faults.map((fault) => coverage[feature][fault] ?? 0)]);
  }
  return table.toString();
}
