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
   * binary data and web types count as several objects, and each hole of a sparse array as one. @default 1000000
   */
  maxObjects: number;
  /**
   * The maximum number of decimal digits of one bigint. Decoding and using larger ones can stall a thread.
   * @default 10000
   */
  maxBigIntDigits: number;
  /** The maximum number of bytes: those of the text, as UTF-8, and those behind it. @default 268435456 */
  maxBytes: number;
}

/** What was counted of a value so far. */
export interface Counts {
  readonly limits: Readonly<Limits>;
  /** The number of containers that are open. */
  depth: number;
  /** The number of objects, by what they count as. */
  weight: number;
}

/**
 * Fills in the defaults of limits that are missing or undefined. No number exceeds undefined, so such a limit would
 * never apply.
 */
export function resolveLimits(limits: Partial<Limits> = {}): Readonly<Limits> {
  const {
    maxDepth = 1000,
    maxObjects = 1_000_000,
    maxBigIntDigits = 10_000,
    // Half of what engines can put into one string.
    maxBytes = 268_435_456,
  } = limits;
  return { maxDepth, maxObjects, maxBigIntDigits, maxBytes };
}

/** Throws if a number exceeds its limit. The error names the option that sets the limit. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw new CloneError('LIMIT_EXCEEDED', `${name} of ${limits[name]} exceeded`);
}

/** Counts further objects. Throws if there are too many, or if they are nested too deep. */
export function count(counts: Counts, objects: number): void {
  const { limits } = counts;
  counts.weight += objects;
  checkLimit('maxDepth', counts.depth, limits);
  checkLimit('maxObjects', counts.weight, limits);
}

/** Throws if a text and `others`, a number of further bytes, together exceed `maxBytes`. */
export function checkBytes(text: string, others: number, limits: Readonly<Limits>): void {
  let { length } = text;
  // A code unit takes one to three bytes. The text is only encoded if it might take too many.
  if (others + 3 * length <= limits.maxBytes) return;
  if (others + length <= limits.maxBytes) ({ length } = new TextEncoder().encode(text));
  checkLimit('maxBytes', others + length, limits);
}

/**
 * Throws if parsing a JSON text would make too many objects, or objects nested too deep. A text that is too short for
 * that, or has too few brackets, is not looked at any further.
 *
 * Inside marks, an object may take two brackets and two levels, so each counts as a half, and `read` checks the limits
 * themselves. With a `factor` of 1, the text holds no marks.
 * @param others The number of bytes that belong to the text.
 * @throws {CloneError} if a limit is exceeded
 */
export function checkText(text: string, limits: Readonly<Limits>, others = 0, factor: 1 | 2 = 2): void {
  checkBytes(text, others, limits);
  const { length } = text;
  let few = Math.min(limits.maxDepth, limits.maxObjects);
  // Each object takes two brackets.
  if (length <= 2 * few) return;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && few >= 0; at = text.indexOf(bracket, at + 1)) few--;
  }
  if (few >= 0) return;
  const one = 1 / factor;
  // The wrapper and the first mark are no objects.
  const none = 2 * one - 2;
  const counts = { limits, depth: none, weight: none };
  let isString = false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    // A backslash: the next character ends no string. Outside of strings, the text is not JSON.
    if (code === 0x5c) at++;
    else if (code === 0x22) isString = !isString;
    else if (isString) continue;
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      counts.depth += one;
      // Marks with small letters are no objects, such as that of undefined, or have brackets enough.
      count(counts, factor === 2 && /^{"\$[a-z]/.test(text.substring(at, at + 4)) ? 0 : one);
    } else if ((code | 0x20) === 0x7d) counts.depth -= one;
  }
}
