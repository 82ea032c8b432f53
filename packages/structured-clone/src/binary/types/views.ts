import { builtIn } from './type-names.ts';

/** The classes of views. On the wire one is its place in this list: append only. */
export const VIEW_NAMES =
  'Uint8Array Int8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array DataView Float16Array'.split(
    ' ',
  );

/** In the order of their names; undefined where the runtime does not have one. */
export const VIEWS = VIEW_NAMES.map(builtIn);
