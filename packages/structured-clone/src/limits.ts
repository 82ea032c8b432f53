/** Bounds on one value, checked while encoding and while decoding, so that what is sent can be received. */
export interface Limits {
  /** Containers nested in each other; recursion is bounded by it. @default 1000 */
  maxDepth: number;
  /** Holes in all sparse arrays of a value together: a hole costs memory but hardly any input. @default 100000 */
  maxHoles: number;
  /** Bytes of one bigint's magnitude; 4,096 bytes are 9,864 decimal digits. Arithmetic on larger ones stalls a thread. @default 4096 */
  maxBigIntBytes: number;
  /** Bytes of an encoding, checked while it is written; what is read is bounded by its own length. @default 1073741824 */
  maxBytes: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  maxDepth: 1000,
  maxHoles: 100_000,
  maxBigIntBytes: 4096,
  maxBytes: 2 ** 30,
});

/** Fills in the defaults of what was left out. */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  return limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits };
}
