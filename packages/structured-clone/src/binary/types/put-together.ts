import { CloneError, malformed } from '../../core/clone-error.ts';
import { ownProperty } from '../../core/own-property.ts';
import {
  AGGREGATE_ERROR,
  builtIn,
  DATE,
  FIRST_ERROR,
  isError,
  MAP,
  SET,
  TEXTS,
  TYPE_NAMES,
  VIEW,
} from './type-names.ts';
import { VIEWS } from './views.ts';

/** Where the parts of an instance come from, in order. Nothing read is trusted. */
export interface Parts {
  /** Reads any value. */
  value(): unknown;
  /** Reads bytes into memory of their own, or null. */
  bytes(): Uint8Array<ArrayBuffer> | null;
}

/** What puts instances of some types together. Both throw anything where the parts are not what they should be. */
export interface PutTogether {
  /** Puts the parts into an empty collection of the type; `holes` throws where a sparse array has too many. */
  fill(
    type: number,
    collection: object,
    parts: readonly unknown[],
    holes: (length: number, parts: number) => void,
  ): void;
  /** Makes an instance of a type that is no collection. */
  make(type: number, parts: Parts): object;
}

/** Whether a type is one of those that this file knows; what knows the others can be loaded when one is met. */
export function isCommon(type: number): boolean {
  return type <= AGGREGATE_ERROR || type === VIEW || type === DATE;
}

/** Makes the empty collection of a type. */
export function makeEmpty(type: number): object {
  const constructor = builtIn(TYPE_NAMES[type]);
  if (!isError(type)) return new constructor();
  // The stack that an error has from here is of no use, and takes longer to find than all the rest.
  const { stackTraceLimit } = Error as { stackTraceLimit?: number };
  // Where errors are frozen, it stays as it is.
  Reflect.set(Error, 'stackTraceLimit', 0);
  const error = type === AGGREGATE_ERROR ? new constructor([]) : new constructor();
  Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  return error;
}

/** Goes through the parts behind the `first`, which have to be pairs. */
export function eachPair(
  parts: readonly unknown[],
  first: 0 | 1,
  add: (key: unknown, value: unknown, at: number) => void,
): void {
  const { length } = parts;
  if (length % 2 !== first) throw malformed('number of parts');
  for (let at: number = first; at < length; at += 2) add(parts[at], parts[at + 1], at);
}

export function integer(value: unknown): number {
  if (typeof value !== 'number' || value !== value >>> 0) throw malformed('number');
  return value;
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw malformed('key');
  return value;
}

/** Says of what platforms throw where they are given what they never gave that the input is to blame. */
export function attempt<T>(name: string, make: () => T, position?: number): T {
  try {
    return make();
  } catch (error) {
    // What is no error says that the types asked for are not there yet.
    throw error instanceof CloneError || !(error instanceof Error) ? error : malformed(name, position);
  }
}

export const COMMON: PutTogether = {
  // biome-ignore lint/suspicious/noExplicitAny: of the class that the type says
  fill(type, collection: any, parts) {
    if (type === SET) {
      for (const part of parts) collection.add(part);
    } else if (type === MAP) eachPair(parts, 0, (key, value) => collection.set(key, value));
    else {
      // The stack that it has now would show the decoder's frames.
      ownProperty(collection, 'stack', '', false);
      const hidden = integer(parts[0]) * 2;
      eachPair(parts, 1, (key, value, at) => {
        // A SuppressedError is no more than that, where there is the class, which gives it its name.
        if (key === 'suppressed' && at <= hidden && type === FIRST_ERROR) {
          const { prototype } = builtIn('SuppressedError') ?? Error;
          if (collection.name === prototype.name) delete collection.name;
          Object.setPrototypeOf(collection, prototype);
        }
        ownProperty(collection, text(key), TEXTS.includes(key as string) ? text(value) : value, at > hidden);
      });
      collection.stack ||= Error.prototype.toString.call(collection);
    }
  },

  make(type, { value, bytes }) {
    const first = value();
    if (type === DATE) {
      if (typeof first !== 'number') throw malformed('time');
      const date = new Date(first);
      // It is another where it was out of range, or between two milliseconds.
      if (!Object.is(date.getTime(), first)) throw malformed('time');
      return date;
    }
    const kind = integer(first);
    const constructor = VIEWS[kind >> 1];
    if (kind % 2 === 0) return new constructor(bytes()!.buffer);
    const buffer = value();
    // Else the constructors would take a number for a length, or an array for elements.
    if (!(buffer instanceof ArrayBuffer)) throw malformed('buffer');
    const byteOffset = integer(value());
    const length = value();
    return new constructor(buffer, byteOffset, length === undefined ? length : integer(length));
  },
};
