import { byValue, itsOwnWay, type Row, type RowGroup } from '../row.ts';

const TYPED_ARRAYS = [
  [Int8Array, [-128, 127]],
  [Uint8Array, [0, 255]],
  [Uint8ClampedArray, [0, 255]],
  [Int16Array, [-32_768, 32_767]],
  [Uint16Array, [0, 65_535]],
  [Int32Array, [-(2 ** 31), 2 ** 31 - 1]],
  [Uint32Array, [0, 2 ** 32 - 1]],
  [Float16Array, [0.5, -0, Number.NaN]],
  [Float32Array, [0.5, -0, Number.NaN]],
  [Float64Array, [Math.PI, -0, Number.NaN]],
  [BigInt64Array, [-(2n ** 63n), 2n ** 63n - 1n]],
  [BigUint64Array, [0n, 2n ** 64n - 1n]],
] as const;

const BYTES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const filled = () => Uint8Array.from(BYTES).buffer;
const resizable = (maxByteLength: number) => {
  const buffer = new ArrayBuffer(8, { maxByteLength });
  new Uint8Array(buffer).set(BYTES.slice(0, 8));
  return buffer;
};
const twoViews = () => {
  const buffer = filled();
  return [new Uint8Array(buffer, 0, 8), new Uint16Array(buffer, 4, 2)];
};
const viewAndBuffer = () => {
  const buffer = filled();
  return { view: new DataView(buffer, 8, 4), buffer };
};

function typedArray([constructor, elements]: (typeof TYPED_ARRAYS)[number]): Row {
  return byValue(constructor.name, { views: 'shown', make: () => Reflect.construct(constructor, [elements]) });
}

export const BINARY: RowGroup = {
  heading: 'Bytes',
  rows: [
    byValue('ArrayBuffer', filled),
    byValue('resizable ArrayBuffer', () => resizable(32)),
    ...TYPED_ARRAYS.map(typedArray),
    byValue('DataView', { views: 'shown', make: () => new DataView(filled()) }),
    byValue('a view alone on its buffer', () => Uint8Array.of(1, 2)),
    byValue('a view at an offset: what it shows', {
      views: 'shown',
      make: () => new Int16Array(filled(), 4, 3),
    }),
    itsOwnWay(
      'a view at an offset: the rest of its buffer',
      'a lone view brings the bytes that it shows and no more, as [a decision](decisions/0008-views-and-buffers.md) explains',
      () => new Int16Array(filled(), 4, 3),
    ),
    byValue('two views of one buffer', twoViews),
    byValue('a view and its buffer', viewAndBuffer),
    byValue('a view that follows the length of its buffer', () => {
      const buffer = resizable(16);
      return { buffer, view: new Uint8Array(buffer, 2) };
    }),
  ],
};
