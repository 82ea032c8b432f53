import type { Column } from './column.ts';
import { COLUMNS } from './columns.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Row, RowGroup } from './row.ts';
import { ROW_GROUPS } from './rows/all.ts';

/** What became of the samples of one row with one codec. */
export interface Cell {
  readonly column: string;
  readonly outcomes: readonly { readonly label: string | undefined; readonly outcome: Outcome }[];
}

/** A row that has been tried out. */
export interface TriedRow extends Row {
  readonly cells: readonly Cell[];
}

/** Rows under one heading that have been tried out. */
export interface TriedGroup extends RowGroup {
  readonly rows: readonly TriedRow[];
}

/** Sends every sample of every row through every codec. */
export async function tryAll(): Promise<TriedGroup[]> {
  const groups: TriedGroup[] = [];
  for (const { heading, rows } of ROW_GROUPS) {
    const tried: TriedRow[] = [];
    for (const row of rows) {
      const cells: Cell[] = [];
      for (const column of COLUMNS) cells.push(await tryRow(column, row));
      tried.push({ ...row, cells });
    }
    groups.push({ heading, rows: tried });
  }
  return groups;
}

async function tryRow(column: Column, { samples }: Row): Promise<Cell> {
  const outcomes: { label: string | undefined; outcome: Outcome }[] = [];
  for (const sample of samples) outcomes.push({ label: sample.label, outcome: await outcomeOf(column, sample) });
  return { column: column.heading, outcomes };
}
