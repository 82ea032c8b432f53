import { type Difference, findDifference } from '../../../../tools/difference/find-difference.ts';
import type { Column } from './column.ts';
import type { Sample } from './row.ts';

/** What became of a value: it arrived as it left, was refused, could not be read again, or has become something else. */
export type Outcome =
  | { readonly kind: 'yes' | 'refused' | 'not read back' }
  | { readonly kind: 'lost'; readonly difference: Difference };

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
