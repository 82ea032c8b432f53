import { describeValue } from '../../tools/difference/describe-value.ts';
import { findDifference } from '../../tools/difference/find-difference.ts';

/** A class whose instances are expected. */
type Class = abstract new (...args: never[]) => unknown;

/** What can be expected of a value. */
export interface Expectation {
  /** The very same value. */
  toBe(expected: unknown): void;
  /**
   * Equal in all that a program can see: prototypes, holes, -0 and shared references too. Symbols do not count, and bytes
   * may be a Buffer.
   */
  toEqual(expected: unknown): void;
  /** Equal in what is expected, whatever else there is; a string may be expected as a pattern. */
  toMatchObject(expected: object): void;
  toMatch(expected: RegExp): void;
  toBeInstanceOf(expected: Class): void;
  toBeAtMost(expected: number): void;
  toBeAtLeast(expected: number): void;
}

/**
 * The few expectations of the contract's cases, under the names that test tools give them: the cases also run where
 * there is none, such as in a page.
 * @throws {Error} whose message says what there is instead
 */
export function expect(actual: unknown): Expectation & { readonly rejects: Rejections } {
  return { ...expectationsOf(actual), rejects: rejectionsOf(actual) };
}

/** Expectations of what a promise rejects with. */
export interface Rejections {
  toBe(expected: unknown): Promise<void>;
  toMatchObject(expected: object): Promise<void>;
  toBeInstanceOf(expected: Class): Promise<void>;
}

function expectationsOf(actual: unknown): Expectation {
  const shown = describeValue(actual);
  const check = (holds: boolean, expected: string) => {
    if (!holds) throw new Error(`expected ${expected}, not ${shown}`);
  };
  return {
    toBe: (expected) => check(Object.is(actual, expected), `the same as ${describeValue(expected)}`),
    toEqual: (expected) => throwDifference(difference(actual, expected, '$')),
    toMatchObject: (expected) => throwDifference(mismatch(actual, expected, '$')),
    toMatch: (expected) => check(typeof actual === 'string' && expected.test(actual), `text like ${expected}`),
    toBeInstanceOf: (expected) => check(actual instanceof expected, `an instance of ${expected.name}`),
    toBeAtMost: (expected) => check((actual as number) <= expected, `at most ${expected}`),
    toBeAtLeast: (expected) => check((actual as number) >= expected, `at least ${expected}`),
  };
}

function rejectionsOf(promise: unknown): Rejections {
  const reason = async () => {
    let value: unknown;
    try {
      value = await promise;
    } catch (error) {
      return expectationsOf(error);
    }
    throw new Error(`expected a rejection, not ${describeValue(value)}`);
  };
  return {
    toBe: async (expected) => (await reason()).toBe(expected),
    toMatchObject: async (expected) => (await reason()).toMatchObject(expected),
    toBeInstanceOf: async (expected) => (await reason()).toBeInstanceOf(expected),
  };
}

function throwDifference(found: string | undefined): void {
  if (found !== undefined) throw new Error(found);
}

function difference(actual: unknown, expected: unknown, path: string): string | undefined {
  const found = findDifference(actual, expected, { symbols: false, anyBytes: true });
  return found && `expected ${found.expected} at ${path}${found.path.slice(1)}, not ${found.actual}`;
}

/** Walks the expected value where it is plain, and compares what is not. */
function mismatch(actual: unknown, expected: unknown, path: string): string | undefined {
  if (expected instanceof RegExp && typeof actual === 'string') {
    return expected.test(actual)
      ? undefined
      : `expected text like ${expected} at ${path}, not ${JSON.stringify(actual)}`;
  }
  if (!isPlain(expected)) return difference(actual, expected, path);
  if (typeof actual !== 'object' || actual === null)
    return `expected an object at ${path}, not ${describeValue(actual)}`;
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length)) {
    return `expected ${expected.length} items at ${path}, not ${describeValue(actual)}`;
  }
  for (const key of Object.keys(expected)) {
    const found = mismatch(
      (actual as Record<string, unknown>)[key],
      (expected as Record<string, unknown>)[key],
      `${path}.${key}`,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
