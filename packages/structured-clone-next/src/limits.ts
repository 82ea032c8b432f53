import { CloneError } from './clone-error.ts';

/**
 * Limits on one value. They are checked while encoding and while decoding, so a value that can be sent can be received.
 */
export interface Limits {
  /**
   * The maximum number of containers nested in each other. Encoding and decoding take stack for each level: beyond some
   * thousands of levels, engines throw a RangeError. @default 1000
   */
  maxDepth: number;
  /**
   * The maximum number of objects of all kinds in a value. The smallest take ten times as much memory as input. Errors,
   * binary data and web types count as several objects. @default 1000000
   */
  maxObjects: number;
  /**
   * The maximum number of holes in all sparse arrays of a value together. A hole costs memory but no input.
   * @default 100000
   */
  maxHoles: number;
  /**
   * The maximum number of decimal digits of one bigint. Decoding and using larger ones can stall a thread.
   * @default 10000
   */
  maxBigIntDigits: number;
  /** The maximum number of bytes: those of the text, as UTF-8, and those behind it. @default 268435456 */
  maxBytes: number;
}

const DEFAULT_LIMITS: Readonly<Limits> = {
  maxDepth: 1000,
  maxObjects: 1_000_000,
  maxHoles: 100_000,
  maxBigIntDigits: 10_000,
  // Half of what engines can put into one string.
  maxBytes: 268_435_456,
};

/**
 * Fills in the defaults of limits that are missing or undefined. No number exceeds undefined, so such a limit would
 * never apply.
 */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  if (!limits) return DEFAULT_LIMITS;
  const resolved = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(resolved) as (keyof Limits)[]) resolved[name] = limits[name] ?? resolved[name];
  return resolved;
}

/** Throws if a number exceeds its limit. The error names the option that sets the limit. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw new CloneError('LIMIT_EXCEEDED', `${name} of ${limits[name]} exceeded`);
}

/** Throws if a text and `others`, a number of further bytes, together exceed `maxBytes`. */
export function checkBytes(text: string, others: number, limits: Readonly<Limits>): void {
  let { length } = text;
  const left = limits.maxBytes - others;
  // A code unit takes one to three bytes. The text is only encoded if it might take too many.
  if (3 * length <= left) return;
  if (length <= left) ({ length } = new TextEncoder().encode(text));
  checkLimit('maxBytes', others + length, limits);
}
