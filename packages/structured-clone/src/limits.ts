import { limitExceeded } from './clone-error.ts';

/** Bounds on one value, checked while encoding and while decoding, so that what is sent can be received. */
export interface Limits {
  /** Containers nested in each other. The stack is safe at any depth; that of code which walks what arrived is not. @default 1000 */
  maxDepth: number;
  /** Objects of all kinds in a value, and with 2¹⁷ more in all that are read of an encoding: the smallest take a hundred times the memory that they take input. Errors, binary data and types of the web count as several. @default 1000000 */
  maxObjects: number;
  /** Holes in all sparse arrays of a value together, and with 2¹⁷ more in all that are read of an encoding: a hole costs memory but no input. @default 100000 */
  maxHoles: number;
  /** Decimal digits of one bigint: reading and using larger ones can stall a thread. @default 10000 */
  maxBigIntDigits: number;
  /** UTF-16 units of one string. @default 268435456 */
  maxStringLength: number;
  /** Bytes of an encoding, checked while it is written; what is read is bounded by its own length. @default 268435456 */
  maxBytes: number;
}

/** Half of what engines can put into one string, which all text of an encoding is while it is written. */
const LARGEST = 2 ** 28;

const DEFAULT_LIMITS: Readonly<Limits> = {
  maxDepth: 1000,
  maxObjects: 1_000_000,
  maxHoles: 100_000,
  maxBigIntDigits: 10_000,
  maxStringLength: LARGEST,
  maxBytes: LARGEST,
};

/**
 * Containers nested deeper than this are written, and read, when everything before them is: so recursion, and with it
 * the stack, is bounded whatever the depth. A part of the format.
 */
export const MAX_NESTED = 64;
/** What cannot wait, such as the payload of an extension in the payload of an extension, may go on to here. */
export const MAX_RECURSION = 256;

/** What an object takes in memory beside its bytes, about. */
export const OBJECT_BYTES = 128;

/** How many objects an instance of each type counts as, in the order of `TYPE_NAMES` and in base 36: by its memory, as it was measured in workerd. */
const WEIGHTS = '11444444445b515155b11115kggk4';

/** Returns how many objects an instance of a type counts as. */
export function weightOf(type: number): number {
  return Number.parseInt(WEIGHTS[type] ?? '4', 36);
}

/** Fills in the defaults of what was left out. */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  const resolved: Limits = { ...DEFAULT_LIMITS, ...limits };
  // One that is undefined is not given: no number would be over it.
  for (const name of Object.keys(DEFAULT_LIMITS) as (keyof Limits)[]) resolved[name] ??= DEFAULT_LIMITS[name];
  return resolved;
}

/** Throws where a number is over its limit. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw limitExceeded(name, limits);
}

/** Returns how many holes there are in an array whose parts are its length, and all keys and items that it has. */
export function countHoles(length: number, parts: number): number {
  return Math.max(length - (parts - 1) / 2, 0);
}

/** Returns a bigint's decimal digits. */
export function formatBigInt(value: bigint, limits: Readonly<Limits>): string {
  return withinDigits(`${value}`, limits);
}

/** Reads a bigint from its decimal digits; undefined where they are none. Their number is checked first: reading takes longer. */
export function parseBigInt(digits: unknown, limits: Readonly<Limits>): bigint | undefined {
  return /^-?\d+$/.test(withinDigits(`${digits}`, limits)) ? BigInt(digits as string) : undefined;
}

function withinDigits(digits: string, limits: Readonly<Limits>): string {
  checkLimit('maxBigIntDigits', digits.replace('-', '').length, limits);
  return digits;
}
