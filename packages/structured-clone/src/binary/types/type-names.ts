/**
 * The types that are more than plain data, by the names of their classes, which are used in options and in the text form
 * too. On the binary wire a type is its place in this list: append only.
 */
const NAMES =
  'Map Set Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError URLSearchParams Headers FormData Array View Date ArrayBuffer RegExp DOMException Number String Boolean BigInt URL Request Response Blob File Temporal';

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;
/** The names of all types beyond JSON's, for `refuse`. */
export type TypeName = Words<typeof NAMES>;

export const TYPE_NAMES = NAMES.split(' ') as readonly TypeName[];

export const MAP = 0;
export const SET = 1;
/** The classes of errors have the numbers from here to `AGGREGATE_ERROR`. */
export const FIRST_ERROR = 2;
export const AGGREGATE_ERROR = 9;
/** Arrays that have holes or named properties; all others are plain data. */
export const ARRAY = 13;
/**
 * The first type that is no collection. Collections have any number of parts, and are made before these are read, so
 * that a part can lead back to them.
 */
export const VIEW = 14;
export const DATE = 15;
/** Types from here on are what the fields say that `FIELDS` names. */
export const FIRST_RECORD = 16;
export const ARRAY_BUFFER = 16;
export const DOM_EXCEPTION = 18;

export function isError(type: number): boolean {
  return type >= FIRST_ERROR && type <= AGGREGATE_ERROR;
}

/** Properties of errors that are text. */
export const TEXTS = ['name', 'message', 'stack'];
export const FIRST_OF_SUPPRESSED = 5;

/** Returns a built-in class, looked up when it is needed: some load much when they are first, and not every runtime has all. */
// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
export function builtIn(name: string): any {
  return (globalThis as Record<string, unknown>)[name];
}
