import { expect, test } from 'vitest';
import { findReferences } from '../src/session/incoming/result-slots.ts';

class Reference {}

test('references are found, and results put in their places, in everything that can hold values', () => {
  const reference = () => new Reference();
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
  const { slots, finish } = findReferences(args, Reference);
  for (const [place, { put }] of slots.entries()) put(`result ${place}`);
  finish();
  expect(slots).toHaveLength(11);
  expect(findReferences(args, Reference).slots).toEqual([]);
  const result = expect.stringContaining('result');
  expect(args[1]).toEqual([undefined, result]);
  expect(Object.keys(sparse)).toEqual(['0', '1']);
  expect([named[1], named.more, sparseAndNamed.more, 0 in sparseAndNamed]).toEqual([result, result, result, false]);
  expect([...(args[6] as Map<unknown, unknown>)]).toEqual([
    [result, 1],
    ['k', result],
  ]);
  expect([...(args[7] as Set<unknown>)]).toEqual([1, result, 3]);
  expect((args[8] as Error).cause).toEqual(result);
});
