import { describe, expect, test } from 'vitest';
import { readArgument } from '../src/expression/read-argument.ts';

describe('arguments', () => {
  test.each<[string, unknown]>([
    ['5', 5],
    ['-0', -0],
    ['-12n', -12n],
    ['null', null],
    ['undefined', undefined],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['"5"', '5'],
    ['`a b`', 'a b'],
    ['{a: [1, {"b-c": true}]}', { a: [1, { 'b-c': true }] }],
    ['/a+/gi', /a+/gi],
    ['new Date(0)', new Date(0)],
    ['new Set([1, new Map([[1, 2]])])', new Set([1, new Map([[1, 2]])])],
    ['new Uint8Array([1, 2])', new Uint8Array([1, 2])],
    ['new URL("https://example.com/")', new URL('https://example.com/')],
  ])('%s is a value', (text, value) => expect(readArgument(text)).toStrictEqual(value));

  test.each([
    'hello',
    'hello world',
    'it’s (not) code',
    '2026-11-22T10:00',
    'process.exit(1)',
    '(() => globalThis.ran = true)()',
    'new Function("return 1")()',
    'new Proxy({}, {})',
    ['`$', '{globalThis}`'].join(''),
    '[...[1]]',
    '{ get a() { return 1 } }',
    '{ [Symbol.iterator]: 1 }',
    '1 + 1',
    '',
  ])('%s is text, and nothing of it is run', (text) => expect(readArgument(text)).toBe(text));

  test('give names that mean something elsewhere to the object itself', () => {
    const value = readArgument('{__proto__: {polluted: 1}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
  });

  test('say what cannot be made', () =>
    expect(() => readArgument('new URL("nowhere")')).toThrow("new URL('nowhere'): Invalid URL"));
});
