import { malformedFrame } from './malformed.ts';

/**
 * Where an operation's receiver or an argument comes from. 0 is the connection's target; n above it the result of the
 * operation n places earlier in the frame; below, something that the receiver of the frame has kept: see `keptAddress`.
 */
export type Address = number;

/** Addresses of what was kept begin here and go down; signals have the numbers above. */
export const FIRST_KEPT = -16;

/** The address of a reference that the receiver of the frame sent before. */
export function referenceAddress(id: number): Address {
  return FIRST_KEPT - 2 * id;
}

/** The address of the result of an earlier call, which its frame said is only a step. */
export function stepAddress(callId: number): Address {
  return FIRST_KEPT - 2 * callId - 1;
}

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
