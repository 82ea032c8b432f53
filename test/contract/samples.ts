/** A value, made anew each time, so that no test compares a thing with itself. */
export interface Sample {
  name: string;
  make: () => unknown;
}

/** One value of every kind that a call carries. */
export const SAMPLES: readonly Sample[] = [
  { name: 'undefined', make: () => undefined },
  { name: 'null', make: () => null },
  { name: 'booleans', make: () => [true, false] },
  { name: 'integers', make: () => [0, 1, -1, 63, 64, 127, 128, -64, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, 1 - 2 ** 53] },
  { name: 'fractions', make: () => [0.5, 19.99, -19.99, 0.1, Math.PI, 1e300, 5e-324, 2 ** 60] },
  { name: 'NaN and infinities', make: () => [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] },
  { name: '-0', make: () => [-0, 0] },
  { name: 'bigints', make: () => [0n, 1n, -1n, 255n, 256n, 2n ** 200n, -(2n ** 64n)] },
  { name: 'short strings', make: () => ['', 'a', 'abc', 'abc', 'é', '日本語', '😀', '\u0000', '\uFEFFx'] },
  { name: 'long strings', make: () => ['x'.repeat(100), 'é'.repeat(5000), 'a'.repeat(100_000)] },
  { name: 'lone surrogates', make: () => ['a\uD800b', '\uDC00', `${'é'.repeat(5000)}\uD800`] },
  { name: 'dates', make: () => [new Date(0), new Date(1.7e12)] },
  { name: 'an invalid date', make: () => new Date(Number.NaN) },
  {
    name: 'a Map',
    make: () =>
      new Map<unknown, unknown>([
        [1, { a: 1 }],
        ['k', [1, 2]],
        [{ key: true }, new Map()],
      ]),
  },
  { name: 'a Set', make: () => new Set<unknown>([1, 'a', { b: 1 }, new Set([2])]) },
  { name: 'nested plain objects', make: () => ({ a: { b: { c: [{ d: 1 }, { d: 2 }] } }, e: {} }) },
  {
    name: 'rows',
    make: () => Array.from({ length: 200 }, (_, id) => ({ id, name: `user ${id}`, at: { x: id / 4, y: 1 - id } })),
  },
  {
    name: 'more keys than a shape has',
    make: () => Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key${n}`, n])),
  },
  {
    name: 'keys of the language',
    make: () => JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3, "toJSON": 4}'),
  },
  { name: 'an object without prototype', make: () => Object.assign(Object.create(null), { a: 1 }) },
  { name: 'an array with holes', make: () => [, 1, , undefined, , ,] },
  { name: 'a long array of holes', make: () => Object.assign(new Array(5000), { 4000: 'x' }) },
  { name: 'an ArrayBuffer', make: () => new Uint8Array([1, 2, 3]).buffer },
  { name: 'an empty ArrayBuffer', make: () => new ArrayBuffer(0) },
  { name: 'bytes', make: () => Uint8Array.from({ length: 70_000 }, (_, index) => index) },
  {
    name: 'typed arrays',
    make: () => [
      new Int8Array([-1]),
      new Uint8ClampedArray([9]),
      new Int16Array([-300]),
      new Uint16Array([300]),
      new Int32Array([-70_000]),
      new Uint32Array([70_000]),
    ],
  },
  { name: 'arrays of floats', make: () => [new Float32Array([1.5, Number.NaN]), new Float64Array([Math.PI, -0])] },
  { name: 'arrays of bigints', make: () => [new BigInt64Array([-1n]), new BigUint64Array([2n ** 64n - 1n])] },
  { name: 'a DataView', make: () => new DataView(new Uint8Array([1, 2, 3]).buffer) },
  { name: 'errors', make: () => [new Error('a'), new RangeError('b')] },
  { name: 'an error with a cause', make: () => new RangeError('b', { cause: new SyntaxError('c') }) },
  { name: 'an error with properties', make: () => Object.assign(new TypeError('x'), { code: 'E', data: { n: 1n } }) },
  { name: 'an AggregateError', make: () => new AggregateError([new Error('one'), 2], 'all') },
  { name: 'an array with named properties', make: () => Object.assign(['a', , 'b'], { index: 1, input: 'xab' }) },
  { name: 'a match of a regular expression', make: () => /(?<letter>b)/.exec('abc') },
  {
    name: 'arrays of numbers only',
    make: () => [range(40), range(40).map((n) => n / 7), range(40).map((n) => (1 - n) * 1e5)],
  },
  { name: 'text in Japanese', make: () => ['日本語のテキスト'.repeat(20), '日本語'] },
  { name: 'boxed primitives', make: () => [Object(1), Object('text'), Object(false), Object(5n)] },
  { name: 'a URL', make: () => new URL('https://user@example.com:8080/a?b=c#d') },
  { name: 'search parameters', make: () => new URLSearchParams('a=1&b=2&a=3') },
  {
    name: 'headers',
    make: () =>
      new Headers([
        ['x-a', '1'],
        ['x-b', '2'],
      ]),
  },
  { name: 'containers nested deep', make: () => range(200).reduce<unknown>((inner) => [{ inner }], 'innermost') },
];

function range(length: number): number[] {
  return Array.from({ length }, (_, n) => n);
}
