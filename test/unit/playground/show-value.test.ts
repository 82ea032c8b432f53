import { expect, test } from 'vitest';
import { showValue } from '../../../examples/playground/page/values/show-value.ts';

const cycle: { name: string; self?: unknown } = { name: 'Ada' };
cycle.self = cycle;
const shared = [1];
const buffer = new Uint8Array([1, 2]).buffer;

test.each([
  [-0, '-0'],
  [5n, '5n'],
  ['\ud83d', '"\\ud83d"'],
  [undefined, 'undefined'],
  [[], '[]'],
  [{}, '{}'],
  [[1, , , 4], '[1, <2 holes>, 4]'],
  [{ a: undefined, 'b c': null }, '{ a: undefined, "b c": null }'],
  [Object.create(null), '[no prototype] {}'],
  [new Map<unknown, unknown>([['a', new Set([1])]]), 'Map(1) { "a" => Set(1) { 1 } }'],
  [new Map(), 'Map(0) {}'],
  [cycle, '*1 { name: "Ada", self: <the object *1> }'],
  [[shared, shared], '[*1 [1], <the object *1>]'],
  [new Date(Number.NaN), 'Date invalid'],
  [/a/gi, '/a/gi'],
  [new RangeError('no', { cause: 1 }), 'RangeError "no" { cause: 1 }'],
  [new Uint8Array(buffer), 'Uint8Array(2) [1, 2] { buffer: ArrayBuffer(2) <01 02> }'],
  [Object('text'), 'String object of "text"'],
  [new URL('https://example.com/'), 'URL https://example.com/'],
  [new Headers({ a: 'b' }), 'Headers { "a": "b" }'],
])('shows %o', (value, shown) => {
  expect(showValue(value)).toBe(shown);
});

test('long values are cut, and say so', () => {
  expect(showValue(Array.from({ length: 1000 }, (_, i) => i))).toContain('976 more');
  expect(showValue('x'.repeat(1000))).toContain('(1000)');
  expect(showValue(new Array(1e9))).toContain('<');
  expect(showValue(new Map(Array.from({ length: 30 }, (_, i) => [i, i])))).toContain('… 6 more');
  let deep: unknown = 'bottom';
  for (let i = 0; i < 1000; i++) deep = [deep];
  expect(showValue(deep)).toContain('[…]');
  const wide = Object.fromEntries(Array.from({ length: 24 }, (_, i) => [`key ${i}`, Array(24).fill('some text')]));
  expect(showValue(wide).split('\n').length).toBeLessThan(70);
});

test('a getter is not called', () => {
  const value = Object.defineProperty({}, 'a', { enumerable: true, get: () => expect.fail('it was') });
  expect(showValue(value)).toBe('{ a: <a getter> }');
});

test('what throws when it is looked at is said to', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(showValue([proxy])).toContain('throws when it is looked at: TypeError');
});
