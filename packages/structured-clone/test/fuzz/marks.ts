import { all } from '@lumenize/structured-clone/messages';
import { type Row, rowOf } from '../../src/types.ts';

/** Marks that are no types. */
export const PLAIN_MARKS = ['$', '$undefined', '$number', '$bigint', '$reference', '$null', '$bytes'] as const;

const NAMES = [
  'Array Map Set Date RegExp Number String Boolean BigInt DOMException',
  'Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError',
  'ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array',
  'Float16Array Float32Array Float64Array BigInt64Array BigUint64Array',
  'URL URLSearchParams Headers FormData Blob File Request Response Temporal',
];

/** The marks of all types that this engine has, with their rows: a codec has no list of them. */
export const TYPES: readonly (readonly [mark: string, row: Row])[] = NAMES.flatMap((names) =>
  names.split(' ').flatMap((name) => {
    const row = rowOf(`$${name}`, all);
    return row === undefined ? [] : [[`$${name}`, row] as const];
  }),
);
