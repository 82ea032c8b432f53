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
  /** UTF-16 units of one string in the binary form; of a text, `maxBytes` bounds all strings together. @default 268435456 */
  maxStringLength: number;
  /** Bytes of an encoding, whose text is UTF-8. @default 268435456 */
  maxBytes: number;
}

/** Half of what engines can put into one string. */
const LARGEST = 2 ** 28;

const DEFAULT_LIMITS: Readonly<Limits> = {
  maxDepth: 1000,
  maxObjects: 1_000_000,
  maxHoles: 100_000,
  maxBigIntDigits: 10_000,
  maxStringLength: LARGEST,
  maxBytes: LARGEST,
};

/** Fills in the defaults of what was left out. */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  if (limits === undefined) return DEFAULT_LIMITS;
  const resolved: Limits = { ...DEFAULT_LIMITS, ...limits };
  // One that is undefined is not given: no number would be over it.
  let name: keyof Limits;
  for (name in DEFAULT_LIMITS) resolved[name] ??= DEFAULT_LIMITS[name];
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

/** Throws where a text takes more bytes than `maxBytes`, with others beside it. */
export function checkBytes(text: string, others: number, limits: Readonly<Limits>): void {
  const { length } = text;
  const left = limits.maxBytes - others;
  // A unit takes one to three: only between these is it necessary to look.
  if (length > left || (3 * length > left && new TextEncoder().encode(text).length > left)) {
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

/**
 * Throws where JSON nests too deep or holds too many objects, before it is parsed. Where it holds marks, it may nest
 * twice as deep, and its objects are counted by whoever reads the marks.
 * @param levels Arrays around the values, which count for none.
 */
export function checkText(
  text: string,
  { maxDepth, maxObjects }: Readonly<Limits>,
  levels = 0,
  mayHoldMarks = true,
): void {
  const few = Math.min(maxDepth, maxObjects);
  // Each level takes a bracket on either side.
  if (text.length <= 2 * few || countOpened(text, few) <= few) return;
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
      if (depth === Math.min(levels, 1)) {
        isMarked = mayHoldMarks && text.startsWith(BEGINNING, at);
        deepest = maxDepth + levels + (isMarked ? maxDepth + 2 : 0);
      }
      if (++depth > deepest) throw limitExceeded('maxDepth', { maxDepth });
      if (!isMarked && ++objects > maxObjects) throw limitExceeded('maxObjects', { maxObjects });
    } else if ((unit | CASE) === CLOSING) depth--;
  }
}
