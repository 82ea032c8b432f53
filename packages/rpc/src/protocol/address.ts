import { malformedFrame } from './errors.ts';
import { isId } from './tags.ts';

/**
 * The source of an operation's receiver or argument. 0 is the connection's target. A positive number n is the result of
 * the operation n places earlier in the frame. A negative number is a value that the receiver of the frame has kept:
 * see `keptAt`.
 */
export type Address = number;

/** Addresses of kept values begin here and go down. The negative numbers above are signals. */
export const FIRST_KEPT = -16;

/** Returns the address of a reference that the receiver of the frame sent before. */
export function referenceAddress(id: number): Address {
  return FIRST_KEPT - 2 * id;
}

/** Returns the address of the result of an earlier call, which its frame marked as a step. */
export function stepAddress(callId: number): Address {
  return FIRST_KEPT - 2 * callId - 1;
}

/**
 * A value kept for later calls: a reference that was sent before, by its id, or the result of an earlier step, by the
 * id of its call.
 */
export type Kept = { readonly kind: 'reference' | 'result'; readonly id: number };

/** Reads the address of a kept value. Returns undefined for other addresses. */
export function keptAt(address: Address): Kept | undefined {
  if (address > FIRST_KEPT) return undefined;
  const number = FIRST_KEPT - address;
  return { kind: number % 2 === 0 ? 'reference' : 'result', id: Math.floor(number / 2) };
}

/** Checks an address in the operation at `index` of its frame, and returns it. */
export function readAddress(value: unknown, index: number): Address {
  // Other values are not converted to numbers: a short value can become an endless text.
  const isAddress = typeof value === 'number' && (isId(value) ? value <= index : isId(FIRST_KEPT - value));
  if (!isAddress) {
    throw malformedFrame('an operation that is not in the frame');
  }
  return value;
}

/** Most names of a property path. A path is walked step by step, so its length is bounded. */
export const MAX_PATH = 64;

/** Checks a property path, and returns it. */
export function readPath(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_PATH || !value.every((name) => typeof name === 'string')) {
    throw malformedFrame(`a path is a list of up to ${MAX_PATH} names`);
  }
  return value;
}

/** A placeholder in decoded arguments for a result, or for a property path of it, until the operation runs. */
export class ResultReference {
  readonly address: Address;
  readonly path: readonly string[];

  constructor(address: Address, path: readonly string[]) {
    this.address = address;
    this.path = path;
  }
}

/** Checks the parts of a `RESULT` in the operation at `index`, and returns its placeholder. */
export function readResultReference([address, ...path]: unknown[], index: number): ResultReference {
  return new ResultReference(readAddress(address, index), readPath(path));
}
