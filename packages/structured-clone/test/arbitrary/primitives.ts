import fc from 'fast-check';

/** Lengths where the binary form changes what it does, and others. */
const LONG_LENGTHS = [30, 31, 32, 62, 63, 64, 65, 200, 4095, 4096, 4097, 5000];

/** Strings that recur within a graph, and those that one of the forms could take for something of its own. */
const WORDS = [
  'identifier',
  'name',
  'created at',
  'été',
  '日本',
  '$undefined',
  '$reference',
  '$Map',
  '$$',
  '\uFEFFmark',
];

/** Keys that languages, formats and engines treat in a way of their own. */
const ODD_KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then'],
  ...['$', '$x', '$$', '$Map', '$Date', '$reference', '$undefined', '$holes', '$bytes', '$nullPrototype'],
  ...['0', '1', '7', '-1', '1.5', '01', '4294967294', '4294967295', '4294967296', 'length', 'size', 'NaN'],
  ...['', ' ', 'a b', '"', '\\', '\0', 'a\0b', 'é', '😀', '\uD800', 'keys()', 'values()[0]', 'value', 'get'],
];

/** Any UTF-16 unit, and so surrogates that stand alone too. */
const unit = fc.nat(0xffff).map((code) => String.fromCharCode(code));
const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code));

export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 3, arbitrary: fc.string() },
  { weight: 2, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.string({ unit }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.oneof(surrogate, unit), maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }), fc.constantFrom(...LONG_LENGTHS))
      .map(([part, length]) => part.repeat(length).slice(0, length)),
  },
);

/**
 * Whether `JSON.parse` takes one key for another, as that of V8 13.6 (Node 24) does where a key with an escape, such as
 * `a\n`, follows on the same keys as one that ended with a backslash, `a\\`, in any text before.
 */
const confusesKeys = (() => {
  for (let times = 0; times < 2; times++) JSON.parse('{"probe":0,"\\\\":0}');
  return !Object.hasOwn(JSON.parse('{"probe":0,"\\n":0}') as object, '\n');
})();

export const key: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'id', 'name', 'value', 'identifier') },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_KEYS) },
    // Those of one object that are, one behind the other, those of another: a, ab and aa, b.
    { weight: 2, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }) },
    { weight: 1, arbitrary: text },
  )
  .filter((name) => !confusesKeys || !name.endsWith('\\'));

/** Numbers at the edges of what one byte, a varint, an int32 and a double hold. */
const EDGES = [30, 31, 32, 127, 128, 158, 159, 2 ** 14, 2 ** 30, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 60];

export const number: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -200, max: 200 }),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 }).map((hundredths) => hundredths / 100),
  fc.constantFrom(...EDGES.flatMap((edge) => [edge, -edge])),
  fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 5e-324, 1.7976931348623157e308),
);

/** Lists of numbers only, mostly of one size: such have a form of their own when they are long enough. */
export const numbers: fc.Arbitrary<number[]> = fc
  .oneof(
    fc.constant(fc.integer({ min: -128, max: 127 })),
    fc.constant(fc.integer({ min: -32768, max: 32767 })),
    fc.constant(fc.integer()),
    fc.constant(fc.double()),
    fc.constant(fc.nat(10_000).map((hundredths) => hundredths / 100)),
  )
  .chain((item) => {
    const any = fc.oneof({ weight: 30, arbitrary: item }, { weight: 1, arbitrary: number });
    return fc.array(fc.oneof(item, any), { minLength: 10, maxLength: 60 });
  });

export const bigint: fc.Arbitrary<bigint> = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  fc.tuple(fc.nat(1500), fc.integer({ min: -2, max: 2 })).map(([bits, more]) => 2n ** BigInt(bits) + BigInt(more)),
  fc.nat(400).map((bits) => -(2n ** BigInt(bits))),
);

/** Every value that is no object and can be cloned. */
export const primitive: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 4, arbitrary: number },
  { weight: 1, arbitrary: bigint },
  { weight: 2, arbitrary: fc.constantFrom(undefined, null, true, false) },
);
