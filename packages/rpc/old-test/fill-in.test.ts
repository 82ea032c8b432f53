import { expect, test } from 'vitest';
import { replaceIn } from '../src/session/incoming/fill-in.ts';

class Reference {}

test('results are put in the places of references in everything that can hold values', () => {
  const values = new Map<unknown, unknown>();
  const reference = () => {
    const made = new Reference();
    values.set(made, `result ${values.size}`);
    return made;
  };
  const sparse: unknown[] = [0, reference()];
  sparse.length = 5;
  const named = Object.assign([undefined, reference()], { more: reference() });
  const sparseAndNamed = Object.assign(new Array(1), { more: reference() });
  const args = [
    reference(),
    [undefined, reference()],
    sparse,
    named,
    sparseAndNamed,
    { a: { b: reference() } },
    new Map<unknown, unknown>([
      [reference(), 1],
      ['k', reference()],
    ]),
    new Set([1, reference(), 3]),
    new Error('e', { cause: reference() }),
  ];
  replaceIn(args, values);
  expect(values.size).toBe(11);
  const result = expect.stringContaining('result');
  expect(args[0]).toEqual(result);
  expect(args[1]).toEqual([undefined, result]);
  expect(args[5]).toEqual({ a: { b: result } });
  expect(Object.keys(sparse)).toEqual(['0', '1']);
  expect([named[1], named.more, sparseAndNamed.more, 0 in sparseAndNamed]).toEqual([result, result, result, false]);
  expect([...(args[6] as Map<unknown, unknown>)]).toEqual([
    [result, 1],
    ['k', result],
  ]);
  expect([...(args[7] as Set<unknown>)]).toEqual([1, result, 3]);
  expect((args[8] as Error).cause).toEqual(result);
});
