import { CloneError, decode, encode, parse } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';

/** Each with the defect elsewhere that it comes from. */
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
  [
    'a Blob in a form, which makes a File of it for each reference',
    '{"$FormData":["a",{"$Blob":["",{"$bytes":""}]},"b",{"$reference":1}]}',
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

test('a message cut anywhere, or with any byte changed, is refused or decodes to something, and never crashes', () => {
  const message = encode({
    list: [1, 2.5, 'text', { a: 1 }],
    map: new Map([[1n, new Date(0)]]),
    bytes: new Uint8Array(9),
    error: new Error('x'),
  }) as Uint8Array;
  for (let length = 0; length < message.length; length++) refusedOrRead(message.slice(0, length));
  for (let at = 0; at < message.length; at++) {
    for (const byte of [0, 1, 0x22, 0x5b, 0x7b, 0x7f, 0x80, 0xff]) refusedOrRead(message.with(at, byte));
  }
});

function refusedOrRead(message: Uint8Array): void {
  try {
    decode(message);
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
