import { writeArrayBuffer, writeView } from './buffers.ts';
import { writeMap, writeSet } from './collections.ts';
import { writeDate } from './date.ts';
import { writeError } from './error.ts';
import { writeRegExp } from './regexp.ts';
import type { Sink, TypeName } from './type-handler.ts';

type Write = (value: never, sink: Sink) => void;

/** What writes each type. */
export const WRITERS: Readonly<Record<TypeName, Write>> = {
  Map: writeMap,
  Set: writeSet,
  Date: writeDate,
  RegExp: writeRegExp,
  Error: writeError,
  ArrayBuffer: writeArrayBuffer,
  View: writeView,
};

/** Finds the type of an object by what it is and not by its prototype; undefined for instances of unknown classes. */
export function typeOf(value: object): TypeName | undefined {
  if (ArrayBuffer.isView(value)) return 'View';
  const brand = Object.prototype.toString.call(value).slice(8, -1);
  return brand !== 'View' && Object.hasOwn(WRITERS, brand) ? (brand as TypeName) : undefined;
}
