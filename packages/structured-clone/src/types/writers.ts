import { isSharedView, writeArrayBuffer, writeBufferView, writeView } from './buffers.ts';
import { writeMap, writeSet } from './collections.ts';
import { writeDate } from './date.ts';
import { writeError } from './error.ts';
import { writeRegExp } from './regexp.ts';
import type { Sink, TypeName, TypeWriter } from './type-handler.ts';

/** A writer's row: the name that `Object.prototype.toString` gives for the type, the handler's name, and what writes it. */
const ROWS: readonly [brand: string, TypeName, write: (value: never, sink: Sink) => void][] = [
  ['Map', 'Map', writeMap],
  ['Set', 'Set', writeSet],
  ['Date', 'Date', writeDate],
  ['RegExp', 'RegExp', writeRegExp],
  ['Error', 'Error', writeError],
  ['ArrayBuffer', 'ArrayBuffer', writeArrayBuffer],
];

const WRITERS = new Map<string, TypeWriter>(
  ROWS.map(([brand, name, write]) => [`[object ${brand}]`, { name, write } as TypeWriter]),
);
const VIEW: TypeWriter = { name: 'View', write: writeView as TypeWriter['write'] };
const BUFFER_VIEW: TypeWriter = { name: 'BufferView', write: writeBufferView as TypeWriter['write'] };

/** Finds what writes this object, by what it is and not by its prototype; undefined for instances of unknown classes. */
export function writerOf(value: object, sink: Sink): TypeWriter | undefined {
  if (ArrayBuffer.isView(value)) return isSharedView(value, sink) ? BUFFER_VIEW : VIEW;
  return WRITERS.get(Object.prototype.toString.call(value));
}
