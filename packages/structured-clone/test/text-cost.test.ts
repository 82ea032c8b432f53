import { parse, readBodies, stringify } from '@lumenize/structured-clone';
import { expect, test, vi } from 'vitest';
import { attempt } from './attempt.ts';

/** How many keys were listed while something ran. */
function keysListed(run: () => unknown): number {
  const keys = vi.spyOn(Object, 'keys');
  try {
    run();
    return keys.mock.results.reduce((sum, { value }) => sum + (value as string[]).length, 0);
  } finally {
    keys.mockRestore();
  }
}

test.each<[string, unknown]>([
  ['a string', 'x'.repeat(16_384)],
  ['a list', new Array(16_384).fill(1)],
])('reads a text that is one long %s without a text for each of its places', (_what, value) => {
  const text = JSON.stringify(value);
  expect(keysListed(() => parse(text))).toBeLessThan(10);
  expect(parse(text)).toEqual(value);
});

test.each<[string, unknown]>([
  ['boxed string', Object('x'.repeat(16_384))],
  ['list with undefined', [...new Array(16_384).fill(1), undefined]],
])('writes a long %s without a text for each of its places', (_what, value) => {
  expect(keysListed(() => stringify(value))).toBeLessThan(10);
  expect(parse(stringify(value))).toEqual(value);
});

test.each<[string, unknown, number]>([
  ['a primitive', 42, 0],
  ['an object of primitives', { x: 1, name: 'door', open: true }, 0],
  ['a list of primitives', [1, 'x', false], 0],
  ['rows', Array.from({ length: 100 }, (_, id) => ({ id, tags: ['x'] })), 1],
])('writes %s with the sets that it needs to find shared objects', (_what, value, sets) => {
  const Sets = vi.fn(Set);
  vi.stubGlobal('Set', Sets);
  try {
    expect(stringify(value)).toBe(JSON.stringify(value));
  } finally {
    vi.unstubAllGlobals();
  }
  expect(Sets).toHaveBeenCalledTimes(sets);
});

test.each([0, 1, 2, 3, 6143, 6144, 6145, 20_000])(
  'writes %i bytes as base64 without iterating over them, with and without the help of the engine',
  (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => index * 7);
    const base64 = Buffer.from(bytes).toString('base64');
    const iterate = vi.spyOn(Uint8Array.prototype, Symbol.iterator);
    const prototype = Uint8Array.prototype as { toBase64?: () => string };
    const { toBase64 } = prototype;
    try {
      for (const help of [undefined, () => base64]) {
        prototype.toBase64 = help;
        expect(stringify(bytes)).toBe(`{"$":{"$Uint8Array":[{"$bytes":"${base64}"}]}}`);
      }
      expect(iterate).not.toHaveBeenCalled();
    } finally {
      iterate.mockRestore();
      if (toBase64) prototype.toBase64 = toBase64;
      else Reflect.deleteProperty(prototype, 'toBase64');
    }
  },
);

test('finds what it refuses, or has to read, without noting what long lists hold beside it', async () => {
  const long = Array.from({ length: 16_384 }, (_, index) => index);
  const noted = [vi.spyOn(Map.prototype, 'set'), vi.spyOn(Set.prototype, 'add')];
  let error: unknown;
  let keys: number;
  let bodies: unknown;
  try {
    keys = keysListed(() => {
      error = attempt(() => stringify([long, Object('x'.repeat(16_384)), { x: Symbol() }]));
    });
    bodies = await readBodies([long, new Blob(['x'])]);
  } finally {
    vi.restoreAllMocks();
  }
  expect(error).toMatchObject({ path: 'value[2].x' });
  expect(bodies).toHaveProperty('size', 1);
  expect([keys < 10, noted.reduce((sum, { mock }) => sum + mock.calls.length, 0) < 1000]).toEqual([true, true]);
});

// Converting a host with thousands of other characters takes quadratic time.
test.each([
  ['URL', '"http://中文/"'],
  ['Request', '"http://中文/","GET","follow",{"$Headers":[]},null'],
])('refuses the text of a %s that is not in ASCII, and does not convert it', (name, parts) => {
  const Spied = vi.fn();
  vi.stubGlobal(name, Spied);
  try {
    expect(attempt(() => parse(`{"$":{"$${name}":[${parts}]}}`))).toMatchObject({ code: 'MALFORMED' });
  } finally {
    vi.unstubAllGlobals();
  }
  expect(Spied).not.toHaveBeenCalled();
});

test.each<[string, () => unknown[], string]>([
  ['beside a list that is nearly all holes', () => [[[Symbol()]], Object.assign([], { 99999999: 1 })], '[0][0][0]'],
  ['behind a name of a long list', () => Object.assign(new Array(16_384).fill(1), { x: Symbol() }), '.x'],
  ['in a list that has as many holes as names', () => Object.assign([, [Symbol()]], { x: 1 }), '[1][0]'],
])('finds what it refuses %s', (_where, make, path) => {
  const begun = performance.now();
  expect(attempt(() => stringify(make()))).toMatchObject({ path: `value${path}` });
  expect(performance.now() - begun).toBeLessThan(1000);
});
