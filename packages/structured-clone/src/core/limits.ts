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
 * @throws {TypeError} if a limit is not a number of 0 or more; the message names it
 */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  if (limits === undefined) return DEFAULT_LIMITS;
  const resolved = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(resolved) as (keyof Limits)[]) {
    if (Object.hasOwn(limits, name)) resolved[name] = limits[name] ?? resolved[name];
    // Nothing would exceed what is no number.
    if (typeof resolved[name] !== 'number' || !(resolved[name] >= 0)) throw new TypeError(`${name} needs a number`);
  }
  return resolved;
}

/** Throws if a number exceeds its limit. The error names the option that sets the limit. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw new CloneError('LIMIT_EXCEEDED', `${name} of ${limits[name]} exceeded`);
}

/**
 * Returns the digits of a bigint. Throws if there are too many, because converting them takes longer than counting
 * them.
 */
export function withinDigits(digits: string, limits: Readonly<Limits>): string {
  checkLimit('maxBigIntDigits', digits.replace('-', '').length, limits);
  return digits;
}

/** The maximum number of UTF-8 bytes that a UTF-16 code unit takes. */
export const MAX_UNIT_BYTES = 3;

/** Throws if a text and `others`, a number of further bytes, together exceed `maxBytes`. */
export function checkBytes(text: string, others: number, limits: Readonly<Limits>): void {
  let { length } = text;
  const left = limits.maxBytes - others;
  // A code unit takes at least one byte. The text is only encoded if it might take too many.
  if (length <= left && MAX_UNIT_BYTES * length > left) length = new TextEncoder().encode(text).length;
  checkLimit('maxBytes', others + length, limits);
}

/** Counts the opening brackets of a text, including those in its strings. Stops when the count exceeds `most`. */
export function countOpened(text: string, most: number): number {
  let count = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && count <= most; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count;
}

/**
 * Throws if JSON holds so many objects that parsing it would take too much memory. The bound is rough, because a mark
 * and its list are two brackets of one object. The exact count follows after parsing.
 */
export function checkOpened(text: string, limits: Readonly<Limits>): void {
  const most = 2 * limits.maxObjects + 2;
  if (countOpened(text, most) <= most) return;
  // Leave out strings, and marks that are not objects, such as undefined. They take more text than objects.
  const outside = text.replace(/\\./g, '').replace(/{"\$[a-z]+"|"[^"]*"/g, '');
  checkLimit('maxObjects', countOpened(outside, most) / 2 - 1, limits);
}

/** The counts of one value that is being encoded or decoded. */
export interface Counts {
  /** The user's limits, completed with the defaults. */
  readonly limits: Readonly<Limits>;
  /** The weight of all objects of the value. */
  weight: number;
  /** The number of objects that are around the current one. */
  depth: number;
}

/**
 * Adds the weight of one object at the current depth. Throws if `maxDepth` or `maxObjects` is exceeded. Encoding and
 * decoding count alike, so a value that can be sent can be received.
 */
export function addWeight(counts: Counts, weight: number): void {
  counts.weight += weight;
  checkLimit('maxDepth', counts.depth, counts.limits);
  checkLimit('maxObjects', counts.weight, counts.limits);
}
