import { CloneError, type DecodeOptions, decode } from '@lumenize/structured-clone';
import { beforeEach, describe, expect, test } from 'vitest';
import * as tags from '../src/binary/tags.ts';
import { TYPE_NAMES, type TypeName, VIEW } from '../src/binary/types/type-names.ts';
import * as f from './forge.ts';
import { FORMS, TEXT } from './forms.ts';

/** Makes an instance of each type, in its smallest and in its usual form. */
const INSTANCES: Readonly<Partial<Record<TypeName, () => unknown>>> = {
  Map: () => new Map(),
  Set: () => new Set(),
  Error: () => new Error('x'),
  TypeError: () => new TypeError('x'),
  AggregateError: () => new AggregateError([]),
  URLSearchParams: () => new URLSearchParams('a=b'),
  Headers: () => new Headers({ a: 'b' }),
  Array: () => [, 1],
  View: () => new Uint8Array(1),
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
  describe.each(Object.entries(INSTANCES))('%s, where it is refused,', (type, make) => {
    const name = form.name === 'bytes' ? type : classOf(type);
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
      const extend = (value: object) => ({ kind: 1, payload: (value as { value: unknown }).value });
      const encoding = form.write(put(make()), { extend });
      const options: DecodeOptions = { refuse: [name as TypeName], revive: (_kind, payload) => payload };
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
    const invalid =
      form.name === 'bytes'
        ? f.forge([f.type('RegExp'), f.string(1), f.string(0), 0], '(')
        : '{"$":{"$RegExp":["(","",0]}}';
    expect(refusalOf(() => form.read(invalid))).toMatchObject({ code: 'MALFORMED' });
    expect(refusalOf(() => form.read(invalid, { refuse: ['RegExp'] }))).toMatchObject({ code: 'NOT_CLONEABLE' });
  });
});

/** In text, each class of views is a type. */
function classOf(type: string): string {
  return type === 'View' ? 'Uint8Array' : type;
}

/** Values that turn into others when they are asked for a number or for text; asked, they say so. */
const SHIFTY: readonly [name: string, bytes: number[], text: string][] = [
  ['an object without prototype', [...f.tag(tags.OBJECT, 0), tags.NULL_PROTOTYPE], '{"$null":{}}'],
  ['a bigint', [...f.special(tags.BIGINT), ...f.string(1)], '{"$bigint":"1"}'],
  ['an array', f.array(0), '[]'],
  ['a boxed number', [...f.type('Number'), 1], '{"$Number":[1]}'],
  ['a date', [...f.type('Date'), 1], '{"$Date":[1]}'],
  ['undefined', f.special(tags.UNDEFINED), '{"$undefined":0}'],
  ['an extension', [...f.special(tags.EXTENSION), 0, 0], '{"$extension":[0,0]}'],
];

describe('a part that is none', () => {
  const records = TYPE_NAMES.slice(VIEW);
  const collections = TYPE_NAMES.slice(0, VIEW).filter((name) => name !== 'Map' && name !== 'Set');

  describe.each(SHIFTY)('%s', (_name, bytes, text) => {
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

    test.each(records)('in every place of a %s is refused or does no harm', (name) => {
      for (let place = 0; place < 6; place++) {
        const before = [0, 1, 0, 0, 0].slice(0, place);
        settles(() => decode(f.forge([f.type(name), ...before, ...bytes, 0, 0, 0, 0], '1'), options));
        settles(() => parseMarked(`{"$${classOf(name)}":[${[...before, text].join()}]}`, options));
      }
      expect(asked).toBe(0);
    });

    test('for the offset or the length of a view of a buffer is refused or does no harm', () => {
      const buffer = [...f.type('ArrayBuffer'), ...f.special(tags.FALSE), 8, ...f.BYTES(8, ...new Array(8).fill(0))];
      const bufferText = '{"$ArrayBuffer":[{"$bytes":"AAAAAAAAAAA="}]}';
      settles(() => decode(f.forge([f.type('View'), 1, buffer, bytes, 0], '1'), options));
      settles(() => decode(f.forge([f.type('View'), 1, buffer, 0, bytes], '1'), options));
      settles(() => parseMarked(`{"$Uint8Array":[${bufferText},${text},0]}`, options));
      settles(() => parseMarked(`{"$Uint8Array":[${bufferText},0,${text}]}`, options));
      expect(asked).toBe(0);
    });

    test.each(collections)('in every place of a %s is refused or does no harm', (name) => {
      for (let place = 0; place < 5; place++) {
        const before = [0, 0, 0, 0, 0].slice(0, place);
        settles(() => decode(f.forge([f.type(name), place + 1, ...before, ...bytes], '1'), options));
        settles(() => parseMarked(`{"$${name}":[${[...before.map(() => '"a"'), text].join()}]}`, options));
        settles(() => parseMarked(`{"$${name}":[${[0, ...before.map(() => '"a"'), text].join()}]}`, options));
      }
      expect(asked).toBe(0);
    });
  });
});

function parseMarked(text: string, options: DecodeOptions): unknown {
  return TEXT.read(`{"$":${text}}`, options);
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
