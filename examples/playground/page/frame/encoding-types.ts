/** The first types, by their place on the wire: collections, which say how many parts they have. */
export const COLLECTIONS =
  'Map Set Error EvalError RangeError ReferenceError SyntaxError TypeError URIError AggregateError URLSearchParams Headers FormData Array'.split(
    ' ',
  );

/** A part that is a number of bytes, and those bytes. */
export const BYTES = 'bytes';

/** The types after those, by their place: each has the parts that stand here. */
export const RECORDS: readonly (readonly [name: string, ...parts: string[]])[] = [
  ['View', 'class', BYTES],
  ['Date', 'milliseconds since 1970'],
  ['ArrayBuffer', 'resizable', 'largest length', BYTES],
  ['RegExp', 'source', 'flags', 'lastIndex'],
  ['DOMException', 'message', 'name', 'stack'],
  ['Number object', 'of'],
  ['String object', 'of'],
  ['Boolean object', 'of'],
  ['BigInt object', 'of'],
  ['URL', 'href'],
  ['Request', 'url', 'method', 'redirect', 'headers', BYTES],
  ['Response', 'status', 'status text', 'headers', BYTES],
  ['Blob', 'media type', BYTES],
  ['File', 'name', 'last modified', 'media type', BYTES],
  ['Temporal', 'class', 'text'],
];

/** The classes of views, by their numbers. */
export const VIEW_CLASSES =
  'Uint8Array Int8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array DataView Float16Array'.split(
    ' ',
  );

/** The parts of a view whose buffer is a value of its own. */
export const VIEW_ON_BUFFER = ['class', 'buffer', 'offset', 'length'];
