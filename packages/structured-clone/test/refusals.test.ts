import { CloneError, encode } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { FORMS } from './forms.ts';

class Point {
  x = 1;
}

const REFUSED: readonly [name: string, value: unknown, message: string][] = [
  ['a symbol', Symbol('x'), 'at value: symbols cannot be cloned'],
  ['a function', () => 1, 'at value: functions cannot be cloned'],
  ['an instance of an unknown class', new Point(), 'at value: instances of Point cannot be cloned'],
  ['a WeakMap', new WeakMap(), 'at value: instances of WeakMap cannot be cloned'],
  ['a Promise', Promise.resolve(), 'at value: instances of Promise cannot be cloned'],
  ['shared memory', new SharedArrayBuffer(1), 'at value: instances of SharedArrayBuffer cannot be cloned'],
  [
    'a symbol deep inside',
    { users: [0, 1, 2, { token: Symbol('x') }] },
    'at value.users[3].token: symbols cannot be cloned',
  ],
  ['a function under an odd key', { 'a b': { '0': () => 1 } }, 'at value["a b"]["0"]: functions cannot be cloned'],
  ['a symbol in a Map', new Map([['k', [Symbol('x')]]]), 'at value.values()[0][0]: symbols cannot be cloned'],
  ['a function as a key', new Map([[() => 1, 1]]), 'at value.keys()[0]: functions cannot be cloned'],
  ['a function in a Set', [new Set([1, () => 1])], 'at value[0].values()[1]: functions cannot be cloned'],
  ['a cause', new Error('x', { cause: Symbol('x') }), 'at value.cause: symbols cannot be cloned'],
];

describe.each(FORMS)('as $name', (form) => {
  test.each(REFUSED)('%s is refused, and the error says where', (_name, value, message) => {
    const error = attempt(() => form.write(value));
    expect(error).toBeInstanceOf(CloneError);
    expect(error).toMatchObject({ code: 'NOT_CLONEABLE', message });
  });

  test('types can be refused by the receiver', () => {
    const encoding = form.write([/x/]);
    expect(attempt(() => form.read(encoding, { refuse: ['RegExp'] }))).toMatchObject({
      code: 'NOT_CLONEABLE',
      message: expect.stringContaining('RegExp'),
    });
    expect(form.read(encoding)).toEqual([/x/]);
  });

  test('limits hold for the sender too', () => {
    let deep: unknown[] = [];
    for (let depth = 0; depth < 20_000; depth++) deep = [deep];
    expect(attempt(() => form.write(deep))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('maxDepth'),
    });
    expect(attempt(() => form.write(new Array(1_000_000_000)))).toMatchObject({
      message: expect.stringContaining('maxHoles'),
    });
    expect(attempt(() => form.write(10n ** 10_000n))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(form.read(form.write(1n - 10n ** 10_000n))).toBe(1n - 10n ** 10_000n);
    expect(attempt(() => form.write(2n ** 1_000_000n))).toMatchObject({
      message: expect.stringContaining('maxBigIntDigits'),
    });
  });

  test("a getter's own error passes through", () => {
    const value = {
      get broken(): never {
        throw new RangeError('mine');
      },
    };
    expect(attempt(() => form.write(value))).toEqual(new RangeError('mine'));
  });
});

test('an encoder is usable after a refusal, within another encoding too', () => {
  const value = {
    get inner() {
      return encode({ a: 1 });
    },
  };
  expect(attempt(() => encode([Symbol('x')]))).toBeInstanceOf(CloneError);
  expect(encode(value)).toEqual(encode({ inner: encode({ a: 1 }) }));
});

test('a refusal is found beside what has members without an end', () => {
  const endless = (): object =>
    new Proxy(() => {}, { get: (_target, key) => (key in Function.prototype ? undefined : endless()) });
  const extend = (value: object) => (typeof value === 'function' ? { kind: 0, payload: null } : undefined);
  const value = { stub: endless(), users: [{ token: Symbol('secret') }] };
  expect(() => encode(value, { extend })).toThrow('at value.users[0].token: ');
});
