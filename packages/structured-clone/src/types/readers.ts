import { readArrayBuffer, readView } from './buffers.ts';
import { readMap, readSet } from './collections.ts';
import { readDate } from './date.ts';
import { readError } from './error.ts';
import { readRegExp } from './regexp.ts';
import type { Source, TypeName } from './type-handler.ts';

/** What reads each type. */
export const READERS: Readonly<Record<TypeName, (source: Source) => unknown>> = {
  Map: readMap,
  Set: readSet,
  Date: readDate,
  RegExp: readRegExp,
  Error: readError,
  ArrayBuffer: readArrayBuffer,
  View: readView,
};
