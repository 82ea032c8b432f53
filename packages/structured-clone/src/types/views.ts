type ViewConstructor = {
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): ArrayBufferView<ArrayBuffer>;
  BYTES_PER_ELEMENT?: number;
  name: string;
};

/** On the wire a view's class is its place in this list: append only. */
export const VIEWS: readonly (ViewConstructor | undefined)[] = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
  // Not in every runtime yet.
  (globalThis as { Float16Array?: ViewConstructor }).Float16Array,
];
