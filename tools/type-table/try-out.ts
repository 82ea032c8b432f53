import { type Difference, findDifference } from '../difference/find-difference.ts';
import { COLUMNS, type Column } from './columns.ts';
import type { Row, RowGroup, Sample } from './row.ts';
import { ROW_GROUPS } from './rows.ts';

/** What became of a value: it arrived as it left, was refused, could not be read again, or has become something else. */
export type Outcome =
  | { readonly kind: 'yes' | 'refused' | 'not read back' }
  | { readonly kind: 'lost'; readonly difference: Difference };

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

/** Sends a sample through a codec and compares what arrives with what left. */
export async function outcomeOf(column: Column, sample: Sample): Promise<Outcome> {
  const { encode, decode } = (sample.registered && column.registered) || column;
  let encoded: unknown;
  try {
    encoded = await encode(sample.make());
  } catch {
    return { kind: 'refused' };
  }
  let actual: unknown;
  try {
    actual = await decode(encoded as never);
  } catch {
    // What sends and reads in one step has refused it now; of the others, who sent it believes that it has arrived.
    return { kind: column.oneStep ? 'refused' : 'not read back' };
  }
  const compare = sample.compare ?? (async (is, was) => findDifference(is, was, sample));
  const difference = await compare(actual, sample.make());
  return difference ? { kind: 'lost', difference } : { kind: 'yes' };
}
