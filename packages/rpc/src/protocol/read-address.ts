import { type Address, FIRST_KEPT } from './address.ts';
import { malformedFrame } from './malformed.ts';

/** What was kept: a reference that was sent before, by its id, or the result of an earlier call that was only a step, by the call's. */
export type Kept = { readonly kind: 'reference' | 'result'; readonly id: number };

/** Reads an address that is not positive; undefined for the others. */
export function keptAt(address: Address): Kept | undefined {
  if (address > FIRST_KEPT) return undefined;
  const number = FIRST_KEPT - address;
  return { kind: number % 2 === 0 ? 'reference' : 'result', id: Math.floor(number / 2) };
}

/** Checks an address in the operation at `index` of its frame. */
export function readAddress(value: unknown, index: number): Address {
  const isAddress = Number.isSafeInteger(value) && ((value as number) >= 0 || (value as number) <= FIRST_KEPT);
  if (!isAddress || (value as number) > index) {
    throw malformedFrame('a reference to an operation that is not in the frame before');
  }
  return value as Address;
}
