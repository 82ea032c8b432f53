import { CloneError, createDecoder, decode, encode, parse } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { knownShape } from '../src/binary/known-shapes.ts';
import * as tags from '../src/binary/tags.ts';
import { TYPE_NAMES, VIEW } from '../src/binary/types/type-names.ts';
import { attempt } from './attempt.ts';
import * as f from './forge.ts';
import { memoryTaken } from './memory.ts';

const BILLION = 1_000_000_000;
const COLLECTIONS = TYPE_NAMES.slice(0, VIEW);
/** For the error that is thrown, and what the engine notes about code that it runs. */
const NOTHING_TO_SPEAK_OF = 100_000;

/** Little input that claims to be much, with the defect elsewhere that it comes from. */
const CLAIMS: readonly [origin: string, bytes: Uint8Array][] = [
  ['@ungap/structured-clone: ["Uint8Array", 1000000000]', f.forge([f.type('View'), 0, f.BYTES(BILLION)])],
  ['bytes of an ArrayBuffer', f.forge([f.type('ArrayBuffer'), f.special(tags.FALSE), 0, f.BYTES(BILLION)])],
  ['a block of numbers', f.forge([f.special(tags.NUMBERS), 0, f.BYTES(BILLION)])],
  ['seroval CVE-2026-23957: the length of an array', f.forge([f.array(BILLION)])],
  ['the length of an array, as large as it can be said', f.forge([f.array(Number.MAX_SAFE_INTEGER)])],
  ['devalue CVE-2026-30226: the length of a sparse array', f.forge([f.type('Array'), 1, f.integer(BILLION)])],
  ['a sparse array of the largest length', f.forge([f.type('Array'), 1, f.integer(2 ** 32 - 1)])],
  [
    'a sparse array with one item at the end',
    f.forge([f.type('Array'), 3, f.integer(BILLION), f.string(9), 0], '999999999'),
  ],
  ['the number of keys of an object', f.forge([f.tag(tags.OBJECT, 0), f.varint(BILLION)])],
  ['the length of a key', f.forge([f.object(0, BILLION), 0])],
  ['a thousand lengths of keys', f.forge([f.object(0, ...new Array(1000).fill(BILLION)), ...new Array(1000).fill(0)])],
  ['the length of a string', f.forge([f.string(BILLION)])],
  ['the length of a string within the limit', f.forge([f.string(2 ** 28)])],
  ['the digits of a bigint', f.forge([f.special(tags.BIGINT), f.string(BILLION)])],
  [
    'the length of a view',
    f.forge([f.type('View'), 1, f.type('ArrayBuffer'), f.special(tags.FALSE), 0, f.BYTES(0), 0, f.integer(BILLION)]),
  ],
  ['the growth of a buffer', f.forge([f.type('ArrayBuffer'), f.special(tags.TRUE), f.integer(2 ** 40), f.BYTES(0)])],
  ['the text of the encoding', Uint8Array.from([...f.special(tags.NULL), 0xff, 0xff, 0xff, 0xff, tags.LONG_TEXT])],
  ...COLLECTIONS.map((name): [string, Uint8Array] => [
    `the parts of a ${name}`,
    f.forge([f.type(name), f.varint(BILLION)]),
  ]),
  ...COLLECTIONS.map((name): [string, Uint8Array] => [
    `the parts of a ${name}, of which one is there`,
    f.forge([f.type(name), f.varint(BILLION), 0]),
  ]),
];

/** Inputs whose parts each claim what is left, so that what is allocated for them would be its square. */
const SQUARES: readonly [origin: string, bytes: Uint8Array][] = [
  ['arrays in each other', nested((left) => f.array(left), 900)],
  ['arrays beside each other', f.forge([f.array(3000), ...new Array(3000).fill(f.array(2000))])],
  ['Maps in each other', nested((left) => [...f.type('Map'), ...f.varint(left)], 900)],
  ['Sets in each other', nested((left) => [...f.type('Set'), ...f.varint(left)], 900)],
  [
    'sparse arrays beside each other',
    f.forge([f.array(50), ...new Array(50).fill([...f.type('Array'), 1, ...f.integer(999)])]),
  ],
  ['errors in each other', nested((left) => [...f.type('Error'), ...f.varint(left), 0, ...f.string(0)], 300)],
];

const MILLION = 1_000_000;

/** Inputs of which a few bytes ask again and again for what was paid for once, or never. */
const REPEATED: readonly [origin: string, bytes: Uint8Array][] = [
  [
    'blocks of numbers that are views of one buffer',
    Uint8Array.from([
      ...f.array(21),
      ...[...f.type('ArrayBuffer'), ...f.special(tags.FALSE), ...f.integer(MILLION), ...f.integer(MILLION)],
      ...new Uint8Array(MILLION),
      ...new Array(20).fill([...f.special(tags.NUMBERS), 1, ...f.reference(1), 0, ...f.integer(MILLION)]).flat(),
      0,
    ]),
  ],
  [
    'sparse arrays in values beside each other',
    Uint8Array.from([...new Array(20).fill([...f.type('Array'), 1, ...f.integer(100_000)]).flat(), 0]),
  ],
];

/** Makes containers in each other, each of which claims as many items as there are bytes left. */
function nested(open: (left: number) => number[], times: number): Uint8Array {
  const structure: number[] = [];
  for (let left = times; left > 0; left--) structure.unshift(...open(structure.length));
  return f.forge([structure]);
}

const TEXTS: readonly [origin: string, text: string][] = [
  ['@ungap/structured-clone: ["Uint8Array", 1000000000]', '{"$Uint8Array":[1000000000]}'],
  ['a sparse array', '{"$Array":[1000000000]}'],
  ['a sparse array of the largest length', '{"$Array":[4294967295]}'],
  ['a sparse array of no length', '{"$Array":[1e308]}'],
  ['a sparse array with one item at the end', '{"$Array":[1000000000,"999999999",0]}'],
  ['the length of a view', '{"$Uint8Array":[{"$ArrayBuffer":[{"$bytes":""}]},0,1000000000]}'],
  ['the growth of a buffer', '{"$ArrayBuffer":[{"$bytes":""},1099511627776]}'],
  ['bytes behind the text', '{"$Uint8Array":[{"$bytes":1000000000}]}'],
  ['properties of an error', '{"$Error":[1000000000]}'],
];

describe('bytes that claim', () => {
  test.each(CLAIMS)('%s are refused and take no memory for it', (_origin, bytes) => {
    expectRefused(() => decode(bytes));
    expect(memoryTaken(() => decode(bytes))).toBeLessThan(NOTHING_TO_SPEAK_OF);
  });

  test.each(SQUARES)('%s take memory in proportion to their length', (_origin, bytes) => {
    expect(memoryTaken(() => decode(bytes, { limits: { maxDepth: 1e6, maxHoles: 1000 } }))).toBeLessThan(
      NOTHING_TO_SPEAK_OF + bytes.length * 500,
    );
  });

  test.each(REPEATED)('%s are refused before they take more than a small multiple', (_origin, bytes) => {
    const decodeAll = () => {
      const values: unknown[] = [];
      createDecoder()(bytes, (value) => values.push(value));
    };
    expectRefused(decodeAll);
    expect(memoryTaken(decodeAll)).toBeLessThan(5_000_000 + bytes.length * 4);
  });

  test('shapes of many empty keys are not kept', () => {
    const keys = 2000;
    const text = 'a shape of many empty keys';
    const lengths = [text.length, ...new Array(keys - 1).fill(0)];
    decode(f.forge([f.object(0, ...lengths), ...new Array(keys).fill(0)], text));
    expect(knownShape(text)).toBeUndefined();
  });

  test('leave a decoder as it was', () => {
    const decoder = createDecoder();
    const good = encode([{ a: 'text', b: [1] }, new Map([['text', 1n]])]);
    for (const [, bytes] of [...CLAIMS, ...SQUARES, ...REPEATED]) {
      attempt(() => decoder(bytes, () => {}));
      const read: unknown[] = [];
      decoder(good, (value) => read.push(value));
      expect(read).toEqual([[{ a: 'text', b: [1] }, new Map([['text', 1n]])]]);
    }
  });
});

describe('text that claims', () => {
  test.each(TEXTS)('%s is refused and takes no memory for it', (_origin, text) => {
    const marked = `{"$":${text}}`;
    expectRefused(() => parse(marked));
    expect(memoryTaken(() => parse(marked))).toBeLessThan(NOTHING_TO_SPEAK_OF);
  });

  test('a million-digit bigint is refused before it is read', () => {
    const text = `{"$":{"$bigint":"${'9'.repeat(1_000_000)}"}}`;
    expectRefused(() => parse(text));
    // Mostly what JSON.parse makes of it.
    expect(memoryTaken(() => parse(text))).toBeLessThan(5 * text.length);
  });
});

function expectRefused(run: () => unknown): void {
  expect(attempt(run)).toBeInstanceOf(CloneError);
}
