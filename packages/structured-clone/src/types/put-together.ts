import { malformed } from '../clone-error.ts';
import { countHoles } from '../limits.ts';
import { ownProperty } from '../own-property.ts';
import { BODY, FIELDS, fieldOf } from './records.ts';
import {
  ARRAY,
  DATE,
  ERRORS,
  FIRST_ERROR,
  FIRST_RECORD,
  HEADERS,
  isError,
  MAP,
  SEARCH_PARAMS,
  SET,
  TEXTS,
  VIEW,
} from './type-names.ts';
import { VIEWS } from './views.ts';

/** Where the parts of an instance come from, in order. Nothing read is trusted. */
export interface Parts {
  /** Reads any value. */
  value(): unknown;
  /** Reads bytes into memory of their own, or null. */
  bytes(): Uint8Array<ArrayBuffer> | null;
  /** Throws where these are too many, with all others of the value. */
  holes(count: number): void;
}

/** The most that a resizable buffer may ask for. Engines reserve addresses for it, not memory. */
const MAX_RESERVED_BYTES = 2 ** 30;

/** Makes the empty collection of a type. Each class is named where it is needed: some load much when they are first. */
export function makeEmpty(type: number): object {
  if (type === MAP) return new Map();
  if (type === SET) return new Set();
  if (type === ARRAY) return [];
  if (isError(type)) return makeError(type);
  if (type === SEARCH_PARAMS) return new URLSearchParams();
  return type === HEADERS ? new Headers() : new FormData();
}

function makeError(type: number): Error {
  const constructor = ERRORS[type - FIRST_ERROR] as new (errors?: []) => Error;
  // The stack that an error has from here is of no use, and takes longer to find than all the rest.
  const { stackTraceLimit } = Error as { stackTraceLimit?: number };
  // Where errors are frozen, it stays as it is.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = constructor === AggregateError ? new constructor([]) : new constructor();
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  return error;
}

type Fill = (collection: never, count: number, parts: Parts) => void;

const fillMap: Fill = (map: Map<unknown, unknown>, count, { value }) => {
  for (let left = count; left > 0; left -= 2) map.set(value(), value());
};

const fillSet: Fill = (set: Set<unknown>, count, { value }) => {
  for (let left = count; left > 0; left--) set.add(value());
};

const fillError: Fill = (error: Error, size, parts) => {
  let hidden = count(parts);
  // The stack that it has now would show the decoder's frames.
  ownProperty(error, 'stack', '', false);
  for (let left = size; left > 1; left -= 2) {
    const key = text(parts);
    ownProperty(error, key, TEXTS.includes(key) ? text(parts) : parts.value(), hidden-- <= 0);
  }
  error.stack ||= Error.prototype.toString.call(error);
};

const fillArray: Fill = (array: unknown[], size, parts) => {
  const length = count(parts);
  parts.holes(countHoles(length, size));
  array.length = length;
  for (let left = size; left > 1; left -= 2) {
    const key = text(parts);
    const value = parts.value();
    // An item beyond the length would move it, and so would a property of that name.
    if (key === 'length' || !ownProperty(array, key, value) || array.length !== length) throw malformed(key);
  }
};

const fillNamed: Fill = (collection: FormData, count, parts) => {
  for (let left = count; left > 0; left -= 2) {
    const name = text(parts);
    const value = parts.value();
    if (typeof value !== 'string' && !(value instanceof Blob)) throw malformed(name);
    try {
      collection.append(name, value as string);
    } catch {
      throw malformed(name);
    }
  }
};

/** Puts so many parts into a collection of the type. */
export function fillCollection(type: number, collection: object, size: number, parts: Parts): void {
  const hasHead = type === ARRAY || isError(type);
  if (type !== SET && (size % 2 === 1) !== hasHead) throw malformed('number of parts');
  const fill =
    type === MAP ? fillMap : type === SET ? fillSet : type === ARRAY ? fillArray : hasHead ? fillError : fillNamed;
  fill(collection as never, size, parts);
}

function count({ value }: Parts): number {
  const read = value();
  if (typeof read !== 'number' || read !== read >>> 0) throw malformed('number');
  return read;
}

function text({ value }: Parts): string {
  const read = value();
  if (typeof read !== 'string') throw malformed('key');
  return read;
}

// biome-ignore lint/suspicious/noExplicitAny: constructors check what they are given, and what came of it is checked
type Make = (fields: Record<string, any>) => object;

const unbox: Make = (fields) => Object(fields.valueOf);

/** In the order of `FIELDS`. */
const MAKERS: readonly Make[] = [
  ({ resizable, maxByteLength, body }) => {
    if (!resizable || maxByteLength > MAX_RESERVED_BYTES) return body.buffer;
    const buffer = new ArrayBuffer(body.length, { maxByteLength });
    new Uint8Array(buffer).set(body);
    return buffer;
  },
  ({ source, flags, lastIndex }) => Object.assign(new RegExp(source, flags), { lastIndex }),
  ({ message, name }) => new DOMException(message, name),
  unbox,
  unbox,
  unbox,
  unbox,
  ({ href }) => new URL(href),
  (fields) => new Request(fields.url, fields),
  (fields) => new Response(fields.body, fields),
  (fields) => new Blob([fields.body.buffer], fields),
  (fields) => new File([fields.body.buffer], fields.name, fields),
];

/**
 * Makes an instance of a type that is no collection.
 * @throws {unknown} what its constructor throws where the parts are not what they should be
 */
export function putTogether(type: number, parts: Parts): object {
  if (type === VIEW) return makeView(parts);
  if (type === DATE) return makeDate(parts);
  const names = FIELDS[type - FIRST_RECORD];
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const field = name === BODY ? parts.bytes() : parts.value();
    // What is not data would be asked what it is.
    if (Object(field) === field && name !== BODY && !(field instanceof Headers)) throw malformed(name);
    fields[name] = field;
  }
  const made = MAKERS[type - FIRST_RECORD](fields);
  // Constructors convert what they are given: here, there must have been nothing to convert.
  for (const name of names) {
    const isSame = name === BODY || Object.is(fields[name], fieldOf(made, name));
    if (!isSame && !(fields[name] instanceof Headers)) throw malformed(name);
  }
  return made;
}

function makeDate({ value }: Parts): Date {
  const time = value();
  if (typeof time !== 'number') throw malformed('time');
  return new Date(time);
}

function makeView(parts: Parts): object {
  const { value, bytes } = parts;
  const kind = count(parts);
  const constructor = VIEWS[kind >> 1];
  if (!constructor) throw malformed('view');
  if (kind % 2 === 0) return new constructor(bytes()!.buffer);
  const buffer = value();
  // Else the constructors would take a number for a length, or an array for elements.
  if (!(buffer instanceof ArrayBuffer)) throw malformed('buffer');
  const byteOffset = count(parts);
  const length = value();
  if (length !== undefined && typeof length !== 'number') throw malformed('length');
  return new constructor(buffer, byteOffset, length);
}
