import { type CostKind, mostOf } from './kind.ts';
import type { Cost } from './measure.ts';

const GROUPS: Readonly<Record<CostKind['group'], string>> = {
  values: 'lists of values, sent to a method that returns them',
  references: 'references among arguments',
  frames: 'frames',
  waiting: 'what waits, when garbage has been collected',
  unread: 'what is sent to a client that does not read',
};

/** Makes the table of what each kind of input may cost, and did. */
export function costTable(costs: readonly (readonly [CostKind, Cost])[]): string {
  const rows = costs.map(([kind, { sent, memory, ms }], place) => {
    const isFirst = costs[place - 1]?.[0].group !== kind.group;
    const title = isFirst ? [`| **${GROUPS[kind.group]}** | | | | |`] : [];
    const bound = kind.most === undefined ? `× ${kind.bound}` : `${inMegabytes(kind.most)} MB in all`;
    const cells = [kind.name, bound, inMegabytes(sent), inMegabytes(memory), Math.round((ms / sent) * 1e6)];
    return [...title, `| ${cells.join(' | ')} |`].join('\n');
  });
  const head =
    '| input | memory, at most, for its bytes | MB sent | MB of memory | ms a MB |\n| --- | --- | --- | --- | --- |';
  return [head, ...rows].join('\n');
}

/** The inputs and bounds that a table has, row by row. */
export function boundsOf(table: string): string[] {
  return table
    .trim()
    .split('\n')
    .map((row) => row.split(' | ').slice(0, 2).join(' | '));
}

/** What cost more than it may. */
export function tooDear(costs: readonly (readonly [CostKind, Cost])[]): string[] {
  return costs
    .filter(([kind, { sent, memory }]) => memory > mostOf(kind, sent))
    .map(([{ name }, { sent, memory }]) => `${name}: ${inMegabytes(memory)} MB for ${inMegabytes(sent)} MB`);
}

function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1e6;
  return megabytes >= 10 ? megabytes.toFixed(0) : megabytes >= 0.095 ? megabytes.toFixed(1) : megabytes.toFixed(2);
}
