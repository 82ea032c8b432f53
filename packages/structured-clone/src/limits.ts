import { limitExceeded } from './clone-error.ts';

/** Bounds on one value, checked while encoding and while decoding, so that what is sent can be received. */
export interface Limits {
  /** Containers nested in each other; recursion is bounded by it. @default 1000 */
  maxDepth: number;
  /** Holes in all sparse arrays of a value together: a hole costs memory but hardly any input. @default 100000 */
  maxHoles: number;
  /** Decimal digits of one bigint: reading and using larger ones can stall a thread. @default 10000 */
  maxBigIntDigits: number;
  /** Bytes of an encoding, checked while it is written; what is read is bounded by its own length. @default 1073741824 */
  maxBytes: number;
}

const DEFAULT_LIMITS: Readonly<Limits> = {
  maxDepth: 1000,
  maxHoles: 100_000,
  maxBigIntDigits: 10_000,
  maxBytes: 2 ** 30,
};

/** Fills in the defaults of what was left out. */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  return { ...DEFAULT_LIMITS, ...limits };
}

/** Whether a bigint has no more digits than allowed; told without making its digits, which takes long for a huge one. */
export function isWithinDigits(value: bigint, { maxBigIntDigits }: Readonly<Limits>): boolean {
  // A digit is 3.32 bits.
  return BigInt.asIntN(Math.ceil(maxBigIntDigits * 3.33) + 1, value) === value;
}

/** Reads a bigint from its decimal digits; undefined where they are none. */
export function parseBigInt(digits: string, limits: Readonly<Limits>): bigint | undefined {
  if (digits.length > limits.maxBigIntDigits + 2) throw limitExceeded('maxBigIntDigits', limits);
  return /^-?\d+$/.test(digits) ? BigInt(digits) : undefined;
}
