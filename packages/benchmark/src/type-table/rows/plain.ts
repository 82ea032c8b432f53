import { byValue, type RowGroup } from '../row.ts';

const withNames = () => Object.assign([1, 2], { index: 7, input: 'text' });
const sparse = () => {
  const array: unknown[] = [1];
  array[4] = undefined;
  array.length = 7;
  return array;
};

export const PLAIN: RowGroup = {
  heading: 'Objects and arrays',
  rows: [
    byValue('plain objects', () => ({ a: 1, b: { c: 'text', d: {} } })),
    byValue('order of keys', () => ({ z: 1, a: 2, 10: 3, 9: 4, '': 5 })),
    byValue('properties that are undefined', () => ({ a: undefined })),
    byValue('objects without a prototype', () => Object.assign(Object.create(null), { a: 1 })),
    byValue('the key `__proto__`', () => JSON.parse('{"__proto__":{"polluted":true},"a":1}')),
    byValue('the key `toJSON` as data', () => ({ toJSON: 'text', a: 1 })),
    byValue('the key `constructor`', () => ({ constructor: { name: 'text' } })),
    byValue(
      'data that looks like a codec’s own notation',
      { label: 'dollar signs', make: () => ({ $Map: [0], $$: 1 }) },
      { label: 'json and meta', make: () => ({ json: '1', meta: { values: ['Date'] } }) },
      { label: 'lists', make: () => [['undefined'], ['date', 0], [[]], -1] },
      { label: 'numbered nodes', make: () => ({ t: { t: 1, s: 2 }, f: 63, m: [] }) },
    ),
    byValue('dense arrays', () => [1, 'a', [null, [true]], []]),
    byValue('items that are undefined', () => [undefined, 1, undefined]),
    byValue('sparse arrays: holes', sparse),
    byValue('named properties of arrays', withNames),
  ],
};
