import { CloneError, type Limits } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { FORMS } from './forms.ts';

interface Case {
  readonly name: keyof Limits;
  readonly limit: number;
  /** Makes what is just within the limit, and with `more` of 1 just beyond. */
  readonly make: (more: number) => unknown;
}

const CASES: readonly Case[] = [
  { name: 'maxDepth', limit: 3, make: (more) => (more ? [[[[]]]] : [[[]]]) },
  { name: 'maxDepth', limit: 2, make: (more) => new Map([[1, more ? new Set([{}]) : new Set([0])]]) },
  { name: 'maxDepth', limit: 2, make: (more) => new Error('x', { cause: more ? [[]] : [] }) },
  { name: 'maxObjects', limit: 5, make: (more) => [{}, [], new Map(), ...new Array(1 + more).fill(0).map(() => ({}))] },
  { name: 'maxObjects', limit: 3, make: (more) => [new Date(0), Object(1), ...(more ? [new Set()] : [])] },
  // What takes more memory than a plain object counts as several.
  { name: 'maxObjects', limit: 6, make: (more) => [new Uint8Array(1), ...(more ? [{}] : [])] },
  { name: 'maxObjects', limit: 9, make: (more) => [new Error('x'), new RangeError('x'), ...(more ? [{}] : [])] },
  { name: 'maxObjects', limit: 24, make: (more) => [new Headers(), new DOMException(), {}, ...(more ? [{}] : [])] },
  {
    name: 'maxObjects',
    limit: 65,
    make: (more) => [new ArrayBuffer(1, { maxByteLength: 2 } as object), ...(more ? [{}] : [])],
  },
  {
    name: 'maxObjects',
    limit: 9,
    make: (more) => [new Array(3), [1, ...new Array(1), , , ...(more ? [] : [1])], new Array(more)],
  },
  { name: 'maxBigIntDigits', limit: 10, make: (more) => [10n ** (9n + BigInt(more)), -(10n ** (9n + BigInt(more)))] },
  { name: 'maxBytes', limit: 1200, make: (more) => new Uint8Array(more ? 1201 : 500) },
  { name: 'maxBytes', limit: 1200, make: (more) => 'x'.repeat(more ? 1201 : 900) },
];

describe.each(FORMS)('as $name', (form) => {
  describe.each(CASES)('$name of $limit', ({ name, limit, make }) => {
    const limits = { [name]: limit };

    test('lets both sides do what is within it', () => {
      expect(form.read(form.write(make(0), { limits }), { limits })).toEqual(make(0));
    });

    test('stops the sender with an error that names it', () => {
      expectExceeded(name, () => form.write(make(1), { limits }));
    });

    test('stops the receiver with an error that names it', () => {
      const encoding = form.write(make(1));
      expectExceeded(name, () => form.read(encoding, { limits }));
    });
  });

  // For V8 all of them have the same hash: as many as a message may hold would take minutes.
  test.each<[string, (keys: bigint[]) => unknown, (keys: bigint[]) => unknown[]]>([
    ['Set', (keys) => new Set(keys), (keys) => keys],
    ['Map', (keys) => new Map(keys.map((key) => [key, 1])), (keys) => keys.flatMap((key) => [key, 1])],
  ])('counts keys of a %s that do not fit into 64 bits as 32 objects', (name, make, partsOf) => {
    const limits = { maxObjects: 1000 };
    const keys = (count: number, above: bigint) => Array.from({ length: count }, (_, at) => above + BigInt(at));
    const most = [make(keys(30, 2n ** 63n)), make(keys(5000, 2n ** 63n - 5000n)), keys(5000, 2n ** 70n)];
    expect(form.read(form.write(most, { limits }), { limits })).toEqual(most);
    const more = String(form.write(partsOf(keys(32, 2n ** 63n)))).replace(/^{"\$":(.*)}$/, `{"$":{"$${name}":$1}}`);
    expectExceeded('maxObjects', () => form.write(make(keys(32, 2n ** 63n)), { limits }));
    expectExceeded('maxObjects', () => form.read(more, { limits }));
  });

  test.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['NaN', () => Number.NaN],
    ['a bigint', () => 5n],
    ['text', () => 'x'],
  ])('within maxDepth, %s is no level of its own', (_what, leaf) => {
    const limits = { maxDepth: 3 };
    const value = [[{ leaf: leaf() }], new Map([[leaf(), Object.assign(Object.create(null), { leaf: leaf() })]])];
    expect(form.read(form.write(value, { limits }), { limits })).toStrictEqual(value);
  });

  test.each([1, 2, 1000])('a cycle is read at the depth of %i at which it was written', (depth) => {
    const limits = { maxDepth: depth };
    const outermost: unknown[] = [];
    let innermost = outermost;
    for (let level = 1; level < depth; level++) {
      const inner: unknown[] = [];
      innermost.push(inner);
      innermost = inner;
    }
    innermost.push(outermost);
    let copy = form.read(form.write(outermost, { limits }), { limits }) as unknown[];
    const first = copy;
    for (let level = 0; level < depth; level++) [copy] = copy as unknown[][];
    expect(copy).toBe(first);
  });

  test('a limit that is undefined has its default', () => {
    let deep: unknown[] = [];
    for (let depth = 0; depth < 2000; depth++) deep = [deep];
    const limits = { maxDepth: undefined };
    expectExceeded('maxDepth', () => form.write(deep, { limits }));
    const encoding = form.write(deep, { limits: { maxDepth: 3000 } });
    expectExceeded('maxDepth', () => form.read(encoding, { limits }));
  });

  test.each(['maxDepth', 'maxObjects', 'maxBigIntDigits'] as const)(
    '%s is not used up by what was written or read before',
    (name) => {
      const limits = { [name]: 4 };
      for (let round = 0; round < 10; round++) {
        const value = [[], [1, , 2], 12n, 'abc'];
        expect(form.read(form.write(value, { limits }), { limits })).toEqual(value);
      }
    },
  );
});

function expectExceeded(name: string, run: () => unknown): void {
  const thrown = attempt(run);
  expect(thrown).toBeInstanceOf(CloneError);
  expect(thrown).toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining(name) });
}
