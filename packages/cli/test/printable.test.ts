import { expect, test } from 'vitest';
import { asJson, printable, withoutControls } from '../src/printable.ts';

const circle: { self?: unknown } = {};
circle.self = [circle];

test.each<[unknown, string]>([
  [{ a: [1, null, undefined], b: undefined, c: new Date(0) }, '{"a":[1,null,null],"c":"1970-01-01T00:00:00.000Z"}'],
  [undefined, 'null'],
  [Object.create(null), '{}'],
  [[new URL('https://example.com/')], '["https://example.com/"]'],
])('%o is written as JSON', (value, json) => expect(asJson(value)).toBe(json));

test('what is there twice, and not within itself, is written twice', () => {
  const shared = { a: [null] };
  expect(asJson([shared, [shared], shared])).toBe('[{"a":[null]},[{"a":[null]}],{"a":[null]}]');
});

test.each<[unknown]>([
  [{ a: new Map() }],
  [[/a/]],
  [new Error('no')],
  [new Uint8Array(2)],
  [new ArrayBuffer(2)],
  [new Headers()],
  [new Blob()],
  [5n],
  [Number.NaN],
  [{ at: new Date(Number.NaN) }],
  [() => {}],
  [circle],
])('%o is refused, and not written as something else', (value) =>
  expect(() => asJson({ value })).toThrow(/^--json cannot say .*: leave it out/s),
);

test('a terminal is told colours and nothing else by what an object says', () => {
  expect(withoutControls('a\x1b[31mb\x1b[0m\n\tc\x1b]0;title\x07\x1b[2J\x9b')).toBe(
    'a\x1b[31mb\x1b[0m\n\tc\\x1b]0;title\\x07\\x1b[2J\\x9b',
  );
  expect(printable(new Error('all is well\x1b[2K\r'))).toContain('well\\x1b[2K\\x0d');
});

test('JSON holds no control character, and is still the same value', () => {
  const value = ['\x00\x1b[2J\x7f\x9b2J\n'];
  const json = asJson(value);
  expect(json).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(json)).toEqual(value);
});
