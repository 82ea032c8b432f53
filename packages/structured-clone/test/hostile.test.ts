import { CloneError, decode, encode, parse } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import * as tags from '../src/binary/tags.ts';
import { TYPE_NAMES } from '../src/binary/types/type-names.ts';
import { attempt } from './attempt.ts';

/** The first byte of a value; 31 means that the rest of the number follows. */
const tag = (kind: number, number: number) => (kind << 5) | number;
const special = (number: number) => tag(tags.SPECIAL, number);
const type = (name: (typeof TYPE_NAMES)[number]) => special(tags.FIRST_TYPE + TYPE_NAMES.indexOf(name));
const LONG = 31;
/** A varint of over two billion. */
const HUGE = [0xff, 0xff, 0xff, 0xff, 0x07];
/** A new shape without keys, and so an empty object. */
const EMPTY_OBJECT = [tag(tags.OBJECT, 0), 0];
/** No text follows. */
const END = 0;

function nested(depth: number, open: number[], close: number[] = []): number[] {
  return [...Array.from({ length: depth }, () => open).flat(), ...close, END];
}

/** Each with the defect elsewhere that it comes from. */
const BYTES: readonly [origin: string, bytes: number[]][] = [
  ['devalue CVE-2026-30226: a claimed array length', [tag(tags.ARRAY, LONG), ...HUGE, END]],
  ['seroval CVE-2026-23957: a claimed length of holes', [type('Array'), 1, tag(tags.INTEGER, LONG), ...HUGE, END]],
  [
    'devalue CVE-2026-22774: a sparse array of a length that no array has',
    [type('Array'), 1, tag(tags.INTEGER, LONG), 0xff, 0xff, 0xff, 0xff, 0xff, 0x07, END],
  ],
  ['a length that is text', [type('Array'), 1, tag(tags.STRING, 1), 0x35, 1]],
  ['an item beyond the length', [type('Array'), 3, 1, tag(tags.STRING, 1), 5, 0x35, 1]],
  ['a length among the items', [type('Array'), 3, 1, tag(tags.STRING, 6), 5, ...Buffer.from('length'), 6]],
  ['@ungap/structured-clone: a claimed length of bytes', [type('View'), 0, ...HUGE, END]],
  ['a claimed length of an ArrayBuffer', [type('ArrayBuffer'), ...HUGE, END]],
  ['a claimed size of a Map', [type('Map'), tag(tags.INTEGER, LONG), ...HUGE, END]],
  ['oRPC GHSA-4p2c-m292-ghmh: a claimed size of a Set', [type('Set'), tag(tags.INTEGER, LONG), ...HUGE, END]],
  ['a claimed number of keys', [tag(tags.OBJECT, 0), ...HUGE, END]],
  ['a million-digit bigint', [special(tags.BIGINT), tag(tags.STRING, LONG), 0xa1, 0x84, 0x3d, END]],
  ['a bigint that is no number', [special(tags.BIGINT), tag(tags.STRING, 3), 0x30, 0x78, 0x31, 3]],
  ['20,000 bigints in each other', nested(20_000, [special(tags.BIGINT)])],
  ['a number that no double holds', [tag(tags.INTEGER, LONG), ...new Array(9).fill(0xff), 0x01, END]],
  ['flatted CVE-2026-32141: 20,000 levels of arrays', nested(20_000, [tag(tags.ARRAY, 1)], [0])],
  ['20,000 levels of Maps', nested(20_000, [type('Map'), 1], [0, 0])],
  ['20,000 levels of objects in the keys of objects', nested(20_000, [tag(tags.OBJECT, 0), 2])],
  ['20,000 levels of errors', nested(20_000, [type('Error'), 0, 1, tag(tags.STRING, 0)])],
  ['20,000 levels of extensions', nested(20_000, [special(tags.EXTENSION), 0])],
  ['seroval: a reference to nothing', [tag(tags.REFERENCE, 0), END]],
  ['a reference to the object being made', [type('Date'), tag(tags.REFERENCE, 0), END]],
  ['a reference to a shape that is not there', [tag(tags.OBJECT, 3), END]],
  ['a reference to a string that is not there', [tag(tags.STRING_AGAIN, 3), END]],
  [
    'a reference to a string from before a reset',
    [tag(tags.STRING, 3), tags.RESET, tag(tags.STRING_AGAIN, 0), 0x61, 0x61, 0x61, 3],
  ],
  ['an unknown type', [special(tags.FIRST_TYPE + TYPE_NAMES.length), END]],
  ['devalue CVE-2025-57820: a view of something else', [type('View'), 1, 0, 0, tag(tags.ARRAY, 0), END]],
  ['a view beyond its buffer', [type('View'), 1, 2, 8, type('ArrayBuffer'), 4, 1, 2, 3, 4, END]],
  ['a view between elements', [type('View'), 7, 1, 1, type('ArrayBuffer'), 4, 1, 2, 3, 4, END]],
  ['half an element', [type('View'), 6, 3, 1, 2, 3, END]],
  ['a class of view that is not there', [type('View'), 30, 0, END]],
  ['new globalThis[name]: a class of error that is not there', [type('Error'), 30, END]],
  [
    'an error whose message is no text',
    [type('Error'), 0, 1, tag(tags.STRING, 7), ...EMPTY_OBJECT, ...Buffer.from('message'), 7],
  ],
  ['a date between two milliseconds', [type('Date'), special(tags.HUNDREDTHS), 1, END]],
  ['a date after the last', [type('Date'), special(tags.FLOAT), 0, 0, 0, 0, 0, 0, 0xf0, 0x7f, END]],
  ['a date that is text', [type('Date'), tag(tags.STRING, 1), 0x61, 1]],
  ['a RegExp that does not compile', [type('RegExp'), tag(tags.STRING, 1), tag(tags.STRING, 0), 0, 0x28, 1]],
  ['a key that is no string', [tag(tags.OBJECT, 0), 2, 5, 5, END]],
  ['an extension nobody asked for', [special(tags.EXTENSION), 0, 0, END]],
  ['a string longer than the text', [tag(tags.STRING, 5), 0x61, 1]],
  ['text that no string uses', [special(tags.NULL), 0x61, 1]],
  ['text that is not UTF-8', [tag(tags.STRING, 1), 0xff, 1]],
  ['half a unit of UTF-16', [tag(tags.STRING, 1), 0x61, 0, 0, 0, 1, tags.UTF16_TEXT]],
  ['bytes that no value uses', [special(tags.NULL), special(tags.NULL), END]],
  ['nothing but a reset', [tags.RESET, END]],
  ['an unknown trailer', [special(tags.NULL), 0xfd]],
  ['text larger than the input', [special(tags.NULL), 0xff, 0xff, 0xff, 0xff, tags.LONG_TEXT]],
  ['a trailer that is cut off', [tags.LONG_TEXT]],
  ['no bytes at all', []],
];

/** Each is in a text that says it holds marks. */
const MARKED: readonly [origin: string, text: string][] = [
  ['@ungap/structured-clone: a type by any name', '{"$Function":["return 1"]}'],
  ['a type by an inherited name', '{"$constructor":[]}'],
  ['devalue CVE-2025-57820: __proto__ as a type', '{"$__proto__":[]}'],
  ['parts that are no list', '{"$Map":5}'],
  ['parts that are missing', '{"$Date":[]}'],
  ['parts that nothing uses', '{"$Date":[0,1]}'],
  ['a date between two milliseconds', '{"$Date":[0.5]}'],
  ['a date after the last', '{"$Date":[8640000000000001]}'],
  [
    'headers of two responses',
    '[{"$Response":[200,"",{"$Headers":[]},null]},{"$Response":[200,"",{"$reference":2},null]}]',
  ],
  ['a status text that is headers', '{"$Response":[200,{"$Headers":[]},{"$Headers":[]},null]}'],
  ['a size that is not there', '{"$Map":[1]}'],
  ['seroval: a reference to nothing', '{"$reference":5}'],
  ['a reference that is no number', '{"$reference":"__proto__"}'],
  ['flatted CVE-2026-33228: a reference by name', '[{"$reference":"constructor"}]'],
  ['devalue CVE-2026-22774: a sparse array of any length', '{"$Array":[1000000000]}'],
  ['a negative length', '{"$Array":[-1]}'],
  ['a sparse array that is none', '{"$Array":[1,"length",5]}'],
  ['a million-digit bigint', `{"$bigint":"${'9'.repeat(1_000_000)}"}`],
  ['a bigint that is code', '{"$bigint":"0x10"}'],
  ['a number that JSON could say', '{"$number":"5"}'],
  ['bytes that are no base64', '{"$Uint8Array":[{"$bytes":"*"}]}'],
  ['bytes that are no bytes', '{"$Uint8Array":[5]}'],
  ['bytes by themselves', '{"$bytes":"AQI="}'],
  ['bytes behind a text that has none', '{"$Uint8Array":[{"$bytes":0}]}'],
  ['bytes of another object', '[{"$Uint8Array":[{"$bytes":"AQI="}]},{"$Blob":["",{"$reference":1}]}]'],
  ['a view of a view', '{"$Uint16Array":[{"$Uint8Array":[{"$bytes":"AQI="}]}]}'],
  ['a boxed number that is text', '{"$Number":["1"]}'],
  ['more hidden properties than there are', '{"$Error":[1000000000]}'],
  ['a mark in a mark that has no parts', '{"$undefined":{"$undefined":{}},"a":{"$x":0}}'],
];

const TEXT: readonly [origin: string, text: string][] = [
  ['not JSON', '{'],
  ['20,000 levels', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['1,500 levels behind a key like that of a mark', `{"$":0,"a":${'['.repeat(1500)}${']'.repeat(1500)}}`],
  ...MARKED.map(([origin, text]): [string, string] => [origin, `{"$":${text}}`]),
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

test.each(['{"$undefined":0}', '[{"$Date":[0]}]', '{"$":1,"a":{"$reference":0}}', '{"$$a":1,"$date":2}'])(
  '%s, which does not say that it holds marks, is data',
  (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  },
);

test('a key like that of a mark beside another is data among marks too', () => {
  expect(parse('{"$":[{"$undefined":0,"a":1},{"$undefined":0}]}')).toEqual([{ $undefined: 0, a: 1 }, undefined]);
});

describe('keys of the language', () => {
  const keys = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
  const hostile = `{${keys.map((key) => `"${key}":{"polluted":true}`).join()}}`;

  test('are data and nothing more', () => {
    for (const copy of [parse(hostile), decode(encode(JSON.parse(hostile))), parse(`{"$":${hostile}}`)]) {
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
  const thrown = attempt(run);
  expect(thrown).toBeInstanceOf(CloneError);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
}
