import { byValue, type RowGroup } from '../row.ts';

export const PRIMITIVES: RowGroup = {
  heading: 'Primitive values',
  rows: [
    byValue('undefined', () => undefined),
    byValue('null', () => null),
    byValue('booleans', () => [true, false]),
    byValue('numbers', () => [0, 1, -1, 0.1, 1e300, 5e-324, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 40)]),
    byValue('NaN', () => Number.NaN),
    byValue(
      '±Infinity',
      { label: 'Infinity', make: () => Number.POSITIVE_INFINITY },
      { label: '-Infinity', make: () => Number.NEGATIVE_INFINITY },
    ),
    byValue('-0', () => -0),
    byValue(
      'bigint',
      { label: 'small', make: () => -5n },
      { label: 'of 64 bits', make: () => 2n ** 63n },
      { label: 'of 200 bits', make: () => 2n ** 200n + 1n },
    ),
    byValue('strings', () => ['', 'ASCII', 'größer', '日本語', '😀', '\0\u2028"\\']),
    byValue('lone surrogates', () => ['\ud800', 'a\udfffb']),
  ],
};
