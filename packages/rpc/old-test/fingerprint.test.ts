import { expect, test } from 'vitest';
import { fingerprint } from '../src/server/delivery/stored-results.ts';

test('the fingerprint of a call tells methods and arguments from each other', () => {
  const found = [
    fingerprint('add', [1]),
    fingerprint('add', [2]),
    fingerprint('remove', [1]),
    fingerprint('add', [{ name: 'a' }]),
    fingerprint('add', ['x'.repeat(1_000_000)]),
  ];
  expect(new Set(found).size).toBe(found.length);
  expect(fingerprint('add', [1])).toBe(found[0]);
});

// A text that an earlier call of the frame returned can stand in the arguments thousands of times, at a few bytes each.
test('arguments that would be many times as large as their frame are told by the method only', () => {
  const text = 'x'.repeat(100_000);
  const found = fingerprint('add', new Array(1000).fill(text));
  expect(found).toBe(fingerprint('add', new Array(1001).fill(text)));
  expect(found).not.toBe(fingerprint('remove', new Array(1000).fill(text)));
});
