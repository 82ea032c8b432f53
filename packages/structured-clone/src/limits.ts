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

const DEFAULT_LIMITS: Readonly<Limits> = {
  maxDepth: 1000,
  maxObjects: 1_000_000,
  maxBigIntDigits: 10_000,
  // Half of what engines can put into one string.
  maxBytes: 268_435_456,
};

/**
 * Fills in the defaults of limits that are missing or undefined. No number exceeds undefined, so such a limit would
 * never apply.
 */
export function resolveLimits(limits?: Partial<Limits>): Readonly<Limits> {
  if (!limits) return DEFAULT_LIMITS;
  const resolved = { ...DEFAULT_LIMITS };
  for (const name of Object.keys(resolved) as (keyof Limits)[]) resolved[name] = limits[name] ?? resolved[name];
  return resolved;
}

/** Throws if a number exceeds its limit. The error names the option that sets the limit. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw new CloneError('LIMIT_EXCEEDED', `${name} of ${limits[name]} exceeded`);
}

/** Throws if objects are nested too deep, or weigh too much. */
export function checkCounts(depth: number, weight: number, limits: Readonly<Limits>): void {
  checkLimit('maxDepth', depth, limits);
  checkLimit('maxObjects', weight, limits);
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

/**
 * Throws if parsing a JSON text would make too many objects, or objects nested too deep. A text that is too short for
 * that, or has too few brackets, is not looked at any further.
 *
 * Inside marks, an object may take two brackets and two levels. So the bounds are twice the limits, and `read` checks
 * the limits themselves. With a `factor` of 1, the text holds no marks, and the bounds are the limits.
 * @param others The number of bytes that belong to the text.
 * @throws {CloneError} if a limit is exceeded
 */
export function checkText(text: string, limits: Readonly<Limits>, others = 0, factor: 1 | 2 = 2): void {
  checkBytes(text, others, limits);
  const { maxDepth, maxObjects } = limits;
  let few = Math.min(maxDepth, maxObjects);
  // Each object takes two brackets.
  if (text.length <= 2 * few) return;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && few >= 0; at = text.indexOf(bracket, at + 1)) few--;
  }
  if (few >= 0) return;
  let depth = 2 - 2 * factor;
  let objects = depth;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A backslash: the next character ends no string. Outside of strings, the text is not JSON.
    if (code === 0x5c) at++;
    else if (code === 0x22) isString = !isString;
    else if (isString) continue;
    // `[` and `{` differ in one bit, and so do `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      checkLimit('maxDepth', ++depth / factor, limits);
      // Marks with small letters are no objects, such as that of undefined, or have brackets enough.
      if (factor === 1 || !/^{"\$[a-z]/.test(text.substring(at, at + 4)))
        checkLimit('maxObjects', ++objects / factor, limits);
    } else if ((code | 0x20) === 0x7d) depth--;
  }
}
