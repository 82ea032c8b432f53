/**
 * The types that are more than plain data, by the names used in options and in the text form. On the binary wire a type
 * is its place in this list: append only.
 */
export const TYPE_NAMES = [
  'Map',
  'Set',
  'Error',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'AggregateError',
  'URLSearchParams',
  'Headers',
  'FormData',
  'Array',
  'View',
  'Date',
  'ArrayBuffer',
  'RegExp',
  'DOMException',
  'Number',
  'String',
  'Boolean',
  'BigInt',
  'URL',
  'Request',
  'Response',
  'Blob',
  'File',
] as const;

export type TypeName = (typeof TYPE_NAMES)[number];

/** The classes of errors have the numbers from here on, in this order. */
export const FIRST_ERROR = 2;
export const ERRORS = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];

export const MAP = 0;
export const SET = 1;
export const SEARCH_PARAMS = 10;
export const HEADERS = 11;
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
  return type >= FIRST_ERROR && type < FIRST_ERROR + ERRORS.length;
}

/** Properties of errors that are text. */
export const TEXTS = ['name', 'message', 'stack'];
