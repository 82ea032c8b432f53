import { Point } from './point.ts';
import { byValue, eachByValue, itsOwnWay, type RowGroup, refused } from './row.ts';
import { WEB } from './web-rows.ts';

const PRIMITIVES: RowGroup = {
  heading: 'Primitive values',
  rows: [
    byValue('undefined', () => undefined),
    byValue('null', () => null),
    byValue('booleans', () => [true, false]),
    byValue('numbers', () => [0, 1, -1, 0.1, 1e300, 5e-324, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 40)]),
    byValue('NaN', () => Number.NaN),
    eachByValue('±Infinity', { Infinity: () => Number.POSITIVE_INFINITY, '-Infinity': () => Number.NEGATIVE_INFINITY }),
    byValue('-0', () => -0),
    eachByValue('bigint', {
      small: () => -5n,
      'of 64 bits': () => 2n ** 63n,
      'of 200 bits': () => 2n ** 200n + 1n,
    }),
    byValue('strings', () => ['', 'ASCII', 'größer', '日本語', '😀', '\0\u2028"\\']),
    byValue('lone surrogates', () => ['\ud800', 'a\udfffb']),
  ],
};

const sparse = () => {
  const array: unknown[] = [1];
  array[4] = undefined;
  array.length = 7;
  return array;
};

const PLAIN: RowGroup = {
  heading: 'Objects and arrays',
  rows: [
    byValue('plain objects', () => ({ a: 1, b: { c: 'text', d: {} } })),
    byValue('order of keys', () => ({ z: 1, a: 2, 10: 3, 9: 4, '': 5 })),
    byValue('properties that are undefined', () => ({ a: undefined })),
    byValue('objects without a prototype', () => Object.assign(Object.create(null), { a: 1 })),
    byValue('the key `__proto__`', () => JSON.parse('{"__proto__":{"polluted":true},"a":1}')),
    byValue('the key `toJSON` as data', () => ({ toJSON: 'text', a: 1 })),
    byValue('the key `constructor`', () => ({ constructor: { name: 'text' } })),
    eachByValue('data that looks like a codec’s own notation', {
      'dollar signs': () => ({ $Map: [0], $$: 1 }),
      'json and meta': () => ({ json: '1', meta: { values: ['Date'] } }),
      lists: () => [['undefined'], ['date', 0], [[]], -1],
      'numbered nodes': () => ({ t: { t: 1, s: 2 }, f: 63, m: [] }),
    }),
    byValue('dense arrays', () => [1, 'a', [null, [true]], []]),
    byValue('items that are undefined', () => [undefined, 1, undefined]),
    byValue('sparse arrays: holes', sparse),
    byValue('named properties of arrays', () => Object.assign([1, 2], { index: 7, input: 'text' })),
  ],
};

const map = () =>
  new Map<unknown, unknown>()
    .set('a', 1)
    .set(2, new Map([[true, null]]))
    .set(Number.NaN, 'x');

const BUILT_INS: RowGroup = {
  heading: 'Built-in classes',
  rows: [
    byValue('Date', () => [new Date(0), new Date('2026-11-20T12:34:56.789Z'), new Date(-8.64e15)]),
    byValue('invalid Date', () => new Date(Number.NaN)),
    byValue('RegExp with flags', () => [/a+/, /[/\]]\n"/dgimsuy, /\p{L}/v]),
    byValue('lastIndex of a RegExp', () => Object.assign(/a(?<name>b)+/gi, { lastIndex: 3 })),
    byValue('Map', map),
    byValue('Set', () => new Set<unknown>(['a', 1, new Set([null]), undefined])),
    eachByValue('boxed primitives', {
      Number: () => Object(5),
      String: () => Object('text'),
      Boolean: () => Object(false),
      BigInt: () => Object(5n),
    }),
  ],
};

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

const filled = () => Uint8Array.from({ length: 16 }, (_, i) => i + 1).buffer;
const resizable = (maxByteLength: number) => {
  const buffer = new ArrayBuffer(8, { maxByteLength });
  new Uint8Array(buffer).set(new Uint8Array(filled(), 0, 8));
  return buffer;
};
const onOne = <Views>(buffer: ArrayBuffer, viewsOf: (buffer: ArrayBuffer) => Views) => viewsOf(buffer);

const BINARY: RowGroup = {
  heading: 'Bytes',
  rows: [
    byValue('ArrayBuffer', filled),
    byValue('resizable ArrayBuffer', () => resizable(32)),
    ...TYPED_ARRAYS.map(([constructor, elements]) =>
      byValue(constructor.name, { views: 'shown', make: () => Reflect.construct(constructor, [elements]) }),
    ),
    byValue('DataView', { views: 'shown', make: () => new DataView(filled()) }),
    byValue('a view alone on its buffer', () => Uint8Array.of(1, 2)),
    byValue('a view at an offset: what it shows', { views: 'shown', make: () => new Int16Array(filled(), 4, 3) }),
    itsOwnWay(
      'a view at an offset: the rest of its buffer',
      'a lone view brings the bytes that it shows and no more, as [a decision](decisions/0008-unlike-structured-clone.md) explains',
      () => new Int16Array(filled(), 4, 3),
    ),
    byValue('two views of one buffer', () =>
      onOne(filled(), (buffer) => [new Uint8Array(buffer, 0, 8), new Uint16Array(buffer, 4, 2)]),
    ),
    byValue('a view and its buffer', () => onOne(filled(), (buffer) => ({ view: new DataView(buffer, 8, 4), buffer }))),
    byValue('a view that follows the length of its buffer', () =>
      onOne(resizable(16), (buffer) => ({ buffer, view: new Uint8Array(buffer, 2) })),
    ),
  ],
};

class QuotaError extends RangeError {
  override name = 'QuotaError';
}

const CLASSES_OF_ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

const causedByItself = () => {
  const cause: { error?: Error } = {};
  // As an option, which makes it a property that is not enumerable: on one that was assigned, capnweb never ends.
  cause.error = new Error('round', { cause });
  return cause.error;
};

const ERRORS: RowGroup = {
  heading: 'Errors, without their stacks',
  rows: [
    byValue('Error', () => new Error('text')),
    eachByValue(
      'its subclasses',
      Object.fromEntries(CLASSES_OF_ERRORS.map((Class) => [Class.name, () => new Class('text')])),
    ),
    byValue('AggregateError', () => new AggregateError([new Error('one'), 'two'], 'text')),
    byValue(
      'SuppressedError',
      () => new SuppressedError(new Error('of the disposal'), new Error('of the block'), 'text'),
    ),
    byValue('an error without a message', () => new Error()),
    eachByValue('a name of its own', {
      assigned: () => Object.assign(new Error('text'), { name: 'QuotaError' }),
      hidden: () => Object.defineProperty(new Error('text'), 'name', { value: 'Hidden', configurable: true }),
    }),
    byValue('a chain of causes', () => new Error('outer', { cause: new TypeError('middle', { cause: { code: 7 } }) })),
    byValue('a cause that leads back', causedByItself),
    byValue('properties of its own', () => Object.assign(new TypeError('text'), { code: 'E', details: { at: [1] } })),
    eachByValue('DOMException', {
      AbortError: () => new DOMException('text', 'AbortError'),
      'a name of its own': () => new DOMException('text', 'Custom'),
    }),
    itsOwnWay(
      'the class of an error that nobody registered',
      'it arrives as the nearest class that is known, with its name',
      () => new QuotaError('text'),
    ),
  ],
};

const inItself = () => {
  const object: Record<string, unknown> = { name: 'a' };
  object.self = object;
  return object;
};
const inArray = () => {
  const array: unknown[] = [1];
  array.push(array);
  return array;
};
const inMap = () => {
  const map = new Map<unknown, unknown>();
  return map.set('self', map).set(map, 'key');
};
const inSet = () => {
  const set = new Set<unknown>();
  return set.add(set);
};
const sharedObject = () => {
  const shared = { a: 1 };
  return { first: shared, second: [shared, { deep: shared }] };
};
const sharedDate = () => {
  const date = new Date(5);
  return [date, date, new Date(5)];
};
const keyOfMap = () => {
  const key = { id: 1 };
  return { key, map: new Map<unknown, unknown>().set(key, 'a').set({ id: 1 }, 'b') };
};

const IDENTITY: RowGroup = {
  heading: 'Identity',
  rows: [
    eachByValue('cycles', { object: inItself, array: inArray, Map: inMap, Set: inSet }),
    eachByValue('an object in several places', { plain: sharedObject, Date: sharedDate }),
    byValue('keys of Maps, and where else they are', keyOfMap),
  ],
};

class Unknown {
  readonly secret = 1;
}

const CLASSES: RowGroup = {
  heading: 'Classes of one’s own, and what is no value',
  rows: [
    byValue('instances of registered classes', { registered: true, make: () => ({ at: new Point(1, 2) }) }),
    refused('instances of other classes', () => ({ value: new Unknown() })),
    refused('functions', () => ({ value: () => 1 })),
    refused('symbols', () => ({ value: Symbol('a') })),
    refused('WeakMap', () => ({ value: new WeakMap() })),
    refused('Promise', () => ({ value: Promise.resolve(1) })),
  ],
};

/** Every row of the table. */
export const ROW_GROUPS: readonly RowGroup[] = [PRIMITIVES, PLAIN, BUILT_INS, BINARY, ERRORS, WEB, IDENTITY, CLASSES];
