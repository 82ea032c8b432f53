import { decode, encode, parse, stringify } from '@lumenize/structured-clone';
import { expect, test } from 'vitest';
import { memoryTaken } from './memory.ts';

test('long text with a lone surrogate takes a few times its memory', () => {
  const text = `\ud800${'x'.repeat(1_000_000)}`;
  const encoding = encode(text);
  expect(decode(encoding)).toBe(text);
  expect(memoryTaken(() => decode(encoding))).toBeLessThan(15_000_000);
});

test('an array of a class with a toJSON is text like any other', () => {
  class Vector extends Array<number> {
    toJSON(): string {
      return 'vector';
    }
  }
  expect(parse(stringify([Vector.of(1, 2)]))).toEqual([[1, 2]]);
});
