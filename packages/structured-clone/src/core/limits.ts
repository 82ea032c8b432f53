import { CloneError } from './clone-error.ts';

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
  maxBytes: 268_435_456,
};

/** Fills in the defaults of what was left out, or is undefined: no number would be over that. */
export function resolveLimits(limits: Partial<Limits> | undefined): Readonly<Limits> {
  if (limits === undefined) return DEFAULT_LIMITS;
  const resolved = { ...DEFAULT_LIMITS };
  let name: keyof Limits;
  for (name in resolved) resolved[name] = limits[name] ?? resolved[name];
  return resolved;
}

/** Throws where a number is over its limit, naming the option that moves that. */
export function checkLimit(name: keyof Limits, value: number, limits: Readonly<Limits>): void {
  if (value > limits[name]) throw new CloneError('LIMIT_EXCEEDED', `${name} of ${limits[name]} exceeded`);
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
  let { length } = text;
  const left = limits.maxBytes - others;
  // A unit takes at least one: only where they may be too many is it necessary to look.
  if (length <= left && MAX_UNIT_BYTES * length > left) length = new TextEncoder().encode(text).length;
  checkLimit('maxBytes', others + length, limits);
}

/** Returns how many brackets a text opens, those in its strings included; none past `most` are looked for. */
export function countOpened(text: string, most: number): number {
  let count = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0 && count <= most; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count;
}

/**
 * Throws where JSON holds so many objects that it would take too much memory to parse it: who reads what was parsed counts them
 * exactly, and a mark and its list are two brackets of one object.
 */
export function checkOpened(text: string, limits: Readonly<Limits>): void {
  const most = 2 * limits.maxObjects + 2;
  if (countOpened(text, most) <= most) return;
  // Not those in strings, nor those of marks that are no objects, such as undefined: these take more text.
  const outside = text.replace(/\\./g, '').replace(/{"\$[a-z]+"|"[^"]*"/g, '');
  checkLimit('maxObjects', countOpened(outside, most) / 2 - 1, limits);
}
