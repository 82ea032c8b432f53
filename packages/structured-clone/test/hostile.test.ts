import { CloneError, decode, encode, parse } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import * as tags from '../src/binary/tags.ts';
import { TYPE_NAMES } from '../src/types/type-names.ts';

const typeTag = (name: (typeof TYPE_NAMES)[number]) => tags.FIRST_TYPE + TYPE_NAMES.indexOf(name);
/** A varint of over two billion. */
const HUGE = [0xff, 0xff, 0xff, 0xff, 0x07];
/** No text follows. */
const END = 0;

function nested(depth: number, open: number[], close: number[] = []): number[] {
  return [...Array.from({ length: depth }, () => open).flat(), ...close, END];
}

/** Each with the defect elsewhere that it comes from. */
const BYTES: readonly [origin: string, bytes: number[]][] = [
  ['devalue CVE-2026-30226: a claimed array length', [tags.LONG_ARRAY, ...HUGE, END]],
  ['seroval CVE-2026-23957: a claimed length of holes', [tags.LONG_ARRAY, ...HUGE, tags.HOLES, ...HUGE, END]],
  ['@ungap/structured-clone: a claimed length of bytes', [typeTag('View'), 0, ...HUGE, END]],
  ['a claimed length of an ArrayBuffer', [typeTag('ArrayBuffer'), ...HUGE, END]],
  ['a claimed size of a Map', [typeTag('Map'), tags.INTEGER, ...HUGE, END]],
  ['oRPC GHSA-4p2c-m292-ghmh: a claimed size of a Set', [typeTag('Set'), tags.INTEGER, ...HUGE, END]],
  ['a claimed number of keys', [tags.NEW_SHAPE, ...HUGE, END]],
  ['a claimed number of dictionary keys', [tags.DICTIONARY, ...HUGE, END]],
  ['a million-digit bigint', [tags.BIGINT, 0x9f, 0xc5, 0x19, END]],
  ['a number that no double holds', [tags.INTEGER, ...new Array(9).fill(0xff), 0x01, END]],
  ['flatted CVE-2026-32141: 20,000 levels of arrays', nested(20_000, [tags.SHORT_ARRAY | 1], [0])],
  ['20,000 levels of Maps', nested(20_000, [typeTag('Map'), 1], [0, 0])],
  ['20,000 levels of prototypes', nested(20_000, [tags.NULL_PROTOTYPE])],
  [
    '20,000 levels of causes',
    nested(20_000, [typeTag('Error'), 0, tags.UNDEFINED, tags.SHORT_STRING, tags.UNDEFINED, 1, tags.SHORT_STRING]),
  ],
  ['seroval: a reference to nothing', [tags.REFERENCE, 0, END]],
  ['a reference to the object being made', [typeTag('Date'), tags.REFERENCE, 0, END]],
  ['a reference to a shape that is not there', [tags.SHAPE | 3, END]],
  ['a reference to a string that is not there', [tags.STRING_AGAIN | 3, END]],
  ['an unknown tag', [0xff - 1, END]],
  ['an unknown type', [tags.FIRST_TYPE + TYPE_NAMES.length, END]],
  ['devalue CVE-2025-57820: a view of something else', [typeTag('BufferView'), 0, 0, 0, tags.SHORT_ARRAY, END]],
  ['a view beyond its buffer', [typeTag('BufferView'), 0, 2, 8, typeTag('ArrayBuffer'), 4, 1, 2, 3, 4, END]],
  ['a view between elements', [typeTag('BufferView'), 3, 1, 1, typeTag('ArrayBuffer'), 4, 1, 2, 3, 4, END]],
  ['half an element', [typeTag('View'), 3, 3, 1, 2, 3, END]],
  ['a class of view that is not there', [typeTag('View'), 60, 0, END]],
  ['new globalThis[name]: a class of error that is not there', [typeTag('Error'), 60, END]],
  ['a date that is text', [typeTag('Date'), tags.SHORT_STRING | 1, 0x61, 1]],
  ['a RegExp that does not compile', [typeTag('RegExp'), tags.SHORT_STRING | 1, tags.SHORT_STRING, 0, 0x28, 1]],
  ['a key that is no string', [tags.NEW_SHAPE, 1, 5, 5, END]],
  ['an extension nobody asked for', [tags.EXTENSION, 0, 0, END]],
  ['a string longer than the text', [tags.SHORT_STRING | 5, 0x61, 1]],
  ['text that no string uses', [tags.NULL, 0x61, 1]],
  ['text that is not UTF-8', [tags.SHORT_STRING | 1, 0xff, 1]],
  ['bytes that no value uses', [tags.NULL, tags.NULL, END]],
  ['an unknown trailer', [tags.NULL, 0xfd]],
  ['a directory larger than the input', [tags.NULL, 0xff, 0xff, 0xff, 0xff, tags.CHUNK_DIRECTORY]],
  ['chunks larger than the input', [tags.NULL, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1, tags.CHUNK_DIRECTORY]],
  ['no bytes at all', []],
];

const TEXT: readonly [origin: string, text: string][] = [
  ['not JSON', '{'],
  ['@ungap/structured-clone: a type by any name', '{"$Function":["return 1"]}'],
  ['a type by an inherited name', '{"$constructor":[]}'],
  ['devalue CVE-2025-57820: __proto__ as a type', '{"$__proto__":[]}'],
  ['parts that are no list', '{"$Map":5}'],
  ['parts that are missing', '{"$Date":[]}'],
  ['parts that nothing uses', '{"$Date":[0,1]}'],
  ['a claimed size', '{"$Set":[1000000000]}'],
  ['seroval: a reference to nothing', '{"$reference":5}'],
  ['a reference that is no number', '{"$reference":"__proto__"}'],
  ['flatted CVE-2026-33228: a reference by name', '[{"$reference":"constructor"}]'],
  ['devalue CVE-2026-22774: a hole of any length', '[{"$holes":1e9}]'],
  ['a hole of a negative length', '[{"$holes":-1}]'],
  ['a hole that is none', '{"a":{"$holes":1}}'],
  ['20,000 levels', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['a million-digit bigint', `{"$bigint":"${'9'.repeat(1_000_000)}"}`],
  ['a bigint that is code', '{"$bigint":"0x10"}'],
  ['a number that JSON could say', '{"$number":"5"}'],
  ['bytes that are no base64', '{"$View":[0,{"$bytes":"*"}]}'],
  ['bytes that are no bytes', '{"$View":[0,5]}'],
  ['a mark beside data', '{"$undefined":0,"a":1}'],
  ['an escaped key beside a mark', '{"$$a":1,"$date":2}'],
];

describe('hostile bytes', () => {
  test.each(BYTES)('%s', (_origin, bytes) => {
    refusedQuickly(() => decode(Uint8Array.from(bytes)));
  });
});

describe('hostile text', () => {
  test.each(TEXT)('%s', (_origin, text) => {
    refusedQuickly(() => parse(text));
  });
});

describe('keys of the language', () => {
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  const hostile = `{${keys.map((key) => `"${key}":{"polluted":true}`).join()}}`;

  test('are data and nothing more', () => {
    for (const copy of [parse(hostile), decode(encode(JSON.parse(hostile))), parse(`{"$$":1,${hostile.slice(1)}`)]) {
      expect(Object.keys(copy as object)).toEqual(expect.arrayContaining(keys));
      expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('as the name of an error property change no prototype', () => {
    const error = Object.defineProperty(new Error('x'), '__proto__', { value: { polluted: true }, enumerable: true });
    const copy = decode(encode(error)) as Error;
    expect(Object.getPrototypeOf(copy)).toBe(Error.prototype);
    expect(Object.hasOwn(copy, '__proto__')).toBe(true);
  });
});

test('an encoding cut anywhere, or with any byte changed, is refused or decodes to something, and never crashes', () => {
  const encoding = encode({
    list: [1, 2.5, 'text', { a: 1 }],
    map: new Map([[1n, new Date(0)]]),
    bytes: new Uint8Array(9),
    error: new Error('x'),
  });
  for (let length = 0; length < encoding.length; length++) refusedOrRead(encoding.slice(0, length));
  for (let at = 0; at < encoding.length; at++) {
    for (const byte of [0, 1, 0x7f, 0x80, 0xa1, 0xb0, 0xc3, 0xd0, 0xff]) refusedOrRead(encoding.with(at, byte));
  }
});

function refusedOrRead(bytes: Uint8Array): void {
  try {
    decode(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(CloneError);
  }
}

/** The input costs no more than a small multiple of its own length: memory is counted, since time is the machine's. */
function refusedQuickly(run: () => unknown): void {
  const before = process.memoryUsage().arrayBuffers;
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(CloneError);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
}
