import { limitExceeded } from './clone-error.ts';
import { BEGINNING } from './marks.ts';

/** Bounds on one value, checked while encoding and while decoding, so that what is sent can be received. */
export interface Limits {
  /** Containers nested in each other. Reading and writing take stack for each: with more than some thousands, engines throw a RangeError. @default 1000 */
  maxDepth: number;
  /** Objects of all kinds in a value: the smallest take ten times the memory that they take input. Errors, binary data and types of the web count as several. @default 1000000 */
  maxObjects: number;
  /** Holes in all sparse arrays of a value together: a hole costs memory but no input. @default 100000 */
  maxHoles: number;
  /** Decimal digits of one bigint: reading and using larger ones can stall a thread. @default 10000 */
  maxBigIntDigits: number;
  /** Bytes of text, as UTF-8, and those behind it. @default 268435456 */
  maxBytes: number;
}

const DEFAULT_LIMITS: Readonly<Limits> = {
  maxDepth: 1000,
  maxObjects: 1_000_000,
  maxHoles: 100_000,
  maxBigIntDigits: 10_000,
  // Half of what engines can put into one string.
  maxBytes: 2 ** 28,
};

/** Fills in the defaults of what was left out, or is undefined: no number would be over that. */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  if (limits === undefined) return DEFAULT_LIMITS;
  const resolved = { ...DEFAULT_LIMITS };
  let name: keyof Limits;
  for (name in resolved) resolved[name] = limits[name] ?? resolved[name];
  return resolved;
}

/** Throws where a number is over its limit. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw limitExceeded(name, limits);
}

/** Returns the text of a bigint, if it has not too many digits: reading and writing take longer than counting them. */
export function withinDigits(digits: string, limits: Readonly<Limits>): string {
  checkLimit('maxBigIntDigits', digits.replace('-', '').length, limits);
  return digits;
}

/** Bytes of UTF-8 that a UTF-16 unit takes, at most. */
export const MAX_UNIT_BYTES = 3;

/** Throws where a text takes more bytes than `maxBytes`, with others beside it. */
export function checkBytes(text: string, others: number, limits: Readonly<Limits>): void {
  const { length } = text;
  const left = limits.maxBytes - others;
  // A unit takes at least one: only beyond that is it necessary to look.
  if (length > left || (MAX_UNIT_BYTES * length > left && new TextEncoder().encode(text).length > left)) {
    throw limitExceeded('maxBytes', limits);
  }
}

/** Returns how many brackets a text opens, those in its strings included; none past `most` are looked for. */
export function countOpened(text: string, most: number): number {
  let count = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && count <= most; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count;
}

const QUOTE = 34;
const BACKSLASH = 92;
/** `[` and `{` differ in one bit, and so do their counterparts. */
const CASE = 32;
const OPENING = 123;
const CLOSING = 125;
const SMALL_A = 97;

/**
 * Throws where JSON nests too deep or holds too many objects, before it is parsed. Where it holds marks, it may nest
 * twice as deep, and no more than about the memory of its objects is bounded: whoever reads the marks counts these.
 * @param levels Arrays around the values, which count for none.
 */
export function checkText(
  text: string,
  { maxDepth, maxObjects }: Readonly<Limits>,
  levels = 0,
  mayHoldMarks = true,
): void {
  const few = Math.min(maxDepth, maxObjects);
  if (countOpened(text, few) <= few) return;
  let depth = 0;
  let objects = 0;
  let deepest = maxDepth + levels;
  let isMarked = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      for (let inner = text.charCodeAt(++at); inner !== QUOTE && at < text.length; inner = text.charCodeAt(++at)) {
        if (inner === BACKSLASH) at++;
      }
    } else if ((unit | CASE) === OPENING) {
      // Whether it is one of the values that hold marks is known where the value begins.
      if (depth === levels) {
        isMarked = mayHoldMarks && text.startsWith(BEGINNING, at);
        deepest = maxDepth + levels + (isMarked ? maxDepth + 2 : 0);
      }
      if (++depth > deepest) throw limitExceeded('maxDepth', { maxDepth });
      if (!isMarked) objects++;
      // A mark and its list are two brackets of one object; such as undefined are none, and take more text.
      else if (!(text.startsWith('"$', at + 1) && text.charCodeAt(at + 3) >= SMALL_A)) objects += 0.5;
      if (objects > maxObjects) throw limitExceeded('maxObjects', { maxObjects });
    } else if ((unit | CASE) === CLOSING) depth--;
  }
}
