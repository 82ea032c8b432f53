import { CloneError, type DecodeOptions, parse } from '@lumenize/structured-clone';
import { beforeEach, describe, expect, test } from 'vitest';
import { FORMS } from './forms.ts';
import { TYPES } from './fuzz/marks.ts';

/** Makes an instance of each type, in its smallest and in its usual form. */
const INSTANCES: Readonly<Record<string, () => unknown>> = {
  Map: () => new Map(),
  Set: () => new Set(),
  Error: () => new Error('x'),
  TypeError: () => new TypeError('x'),
  AggregateError: () => new AggregateError([]),
  URLSearchParams: () => new URLSearchParams('a=b'),
  Headers: () => new Headers({ a: 'b' }),
  Array: () => [, 1],
  Uint8Array: () => new Uint8Array(1),
  ArrayBuffer: () => new ArrayBuffer(1),
  Date: () => new Date(0),
  RegExp: () => /(a+)+$/,
  DOMException: () => new DOMException('x', 'AbortError'),
  Number: () => Object(1),
  String: () => Object('x'),
  Boolean: () => Object(true),
  BigInt: () => Object(1n),
  URL: () => new URL('http://a/'),
};

describe.each(FORMS)('as $name', (form) => {
  // seroval CVE-2026-23956: a pattern of a stranger's that takes for ever to match, or to compile.
  describe.each(Object.entries(INSTANCES))('%s, where it is refused,', (name, make) => {
    test.each<[place: string, put: (value: unknown) => unknown]>([
      ['alone', (value) => value],
      ['in an array', (value) => [value]],
      ['in an object', (value) => ({ a: { b: value } })],
      ['in a named property of an array', (value) => Object.assign([1], { value })],
      ['as a key', (value) => new Map([[value, 1]])],
      ['as a cause', (cause) => new RangeError('x', { cause })],
      [
        'in an extension',
        (value) =>
          new (class Unknown {
            value = value;
          })(),
      ],
    ])('is found %s', (place, put) => {
      const extend = (value: object) => ({ name: 'one', parts: [(value as { value: unknown }).value] });
      const encoding = form.write(put(make()), { extend });
      const options: DecodeOptions = { refuse: [name], revive: (_name, [value]) => value };
      expect(
        refusalOf(() => form.read(encoding, options)),
        place,
      ).toMatchObject({
        code: 'NOT_CLONEABLE',
        message: expect.stringContaining(name),
      });
    });
  });

  test('patterns that are refused are not even compiled', () => {
    const invalid = '{"$":{"$RegExp":["(","",0]}}';
    expect(refusalOf(() => form.read(invalid))).toMatchObject({ code: 'MALFORMED' });
    expect(refusalOf(() => form.read(invalid, { refuse: ['RegExp'] }))).toMatchObject({ code: 'NOT_CLONEABLE' });
  });
});

/** Values that turn into others when they are asked for a number or for text; asked, they say so. */
const SHIFTY: readonly [name: string, text: string][] = [
  ['an object without prototype', '{"$null":{}}'],
  ['a bigint', '{"$bigint":"1"}'],
  ['an array', '[]'],
  ['a boxed number', '{"$Number":[1]}'],
  ['a date', '{"$Date":[1]}'],
  ['undefined', '{"$undefined":0}'],
  ['an extension', '{"$extension":[0,0]}'],
];

/** The types whose parts are in places of their own, and those that have any number of them. */
const RECORDS = TYPES.filter(([, row]) => row.empty === undefined).map(([mark]) => mark);
const COLLECTIONS = TYPES.filter(([mark, row]) => row.empty && !/^\$(Map|Set)$/.test(mark)).map(([mark]) => mark);

test('every type of this engine has its parts tried', () => {
  expect(RECORDS.length).toBeGreaterThan(25);
  expect(COLLECTIONS.length).toBeGreaterThan(10);
});

describe('a part that is none', () => {
  describe.each(SHIFTY)('%s', (_name, text) => {
    let asked = 0;
    beforeEach(() => {
      asked = 0;
    });
    const revived = {
      valueOf: () => asked++,
      toString: () => `${asked++}`,
      [Symbol.toPrimitive]: () => asked++,
      [Symbol.iterator]: () => asked++,
    };
    const options = { revive: () => revived };

    test.each(RECORDS)('in every place of a %s is refused or does no harm', (mark) => {
      for (let place = 0; place < 6; place++) {
        const before = [0, 1, 0, 0, 0].slice(0, place);
        settles(() => parseMarked(`{"${mark}":[${[...before, text].join()}]}`, options));
      }
      expect(asked).toBe(0);
    });

    test('for the offset or the length of a view of a buffer is refused or does no harm', () => {
      const buffer = '{"$ArrayBuffer":[{"$bytes":"AAAAAAAAAAA="}]}';
      settles(() => parseMarked(`{"$Uint8Array":[${buffer},${text},0]}`, options));
      settles(() => parseMarked(`{"$Uint8Array":[${buffer},0,${text}]}`, options));
      expect(asked).toBe(0);
    });

    test.each(COLLECTIONS)('in every place of a %s is refused or does no harm', (mark) => {
      for (let place = 0; place < 5; place++) {
        const before = new Array(place).fill('"a"');
        settles(() => parseMarked(`{"${mark}":[${[...before, text].join()}]}`, options));
        settles(() => parseMarked(`{"${mark}":[${[0, ...before, text].join()}]}`, options));
      }
      expect(asked).toBe(0);
    });
  });
});

function parseMarked(text: string, options: DecodeOptions): unknown {
  return parse(`{"$":${text}}`, options);
}

/** Runs what may only end in a value or in an error of the codec. */
function settles(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(CloneError);
  }
}

/** Returns the error that refuses it. */
function refusalOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(CloneError);
    return error;
  }
}
