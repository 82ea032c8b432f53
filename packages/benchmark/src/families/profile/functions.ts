import type { RunRecord } from '../../engine/record.ts';
import type { Cell, FunctionCost } from './tasks.ts';

/** Prints the sources and the functions in which calls spend most of their time, `top` for each side. */
export function showFunctions({ rows, extras }: RunRecord, top: number): void {
  const write = (text: string) => process.stdout.write(`\n${text}\n`);
  for (const { scenario, subject, value = 0, detail = {}, cannot } of rows) {
    const us = `${value.toFixed(1)} µs of ${detail.roundTripUs?.toFixed(1)} without a profiler; by place, of a call`;
    write(`${scenario}, ${subject}: ${cannot ?? us}`);
    const places = Object.entries(detail).filter(([name]) => name.includes(' '));
    if (cannot === undefined) show(places.map(([place, self]) => ({ self, place })));
  }
  const found = (extras?.profile ?? []).flat() as (Cell & FunctionCost)[];
  const costs = Map.groupBy(found, (of) => `${of.workload}, ${of.subject}, ${of.side}`);
  for (const [cell, functions] of costs) {
    write(`${cell}: µs of a call, of the function itself and in all`);
    show(functions.map(({ self, total, name, place }) => ({ self, total, name, place })));
  }

  function show(lines: readonly { readonly self: number }[]): void {
    const shown = lines.toSorted((a, b) => b.self - a.self).slice(0, top);
    const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value);
    console.table(JSON.parse(JSON.stringify(shown, rounded)));
  }
}
