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

/** Returns a bigint's decimal digits. */
export function formatBigInt(value: bigint, limits: Readonly<Limits>): string {
  return withinDigits(`${value}`, limits);
}

/** Reads a bigint from its decimal digits; undefined where they are none. Their number is checked first: reading takes longer. */
export function parseBigInt(digits: string, limits: Readonly<Limits>): bigint | undefined {
  return /^-?\d+$/.test(withinDigits(digits, limits)) ? BigInt(digits) : undefined;
}

function withinDigits(digits: string, limits: Readonly<Limits>): string {
  if (digits.replace('-', '').length > limits.maxBigIntDigits) throw limitExceeded('maxBigIntDigits', limits);
  return digits;
}
