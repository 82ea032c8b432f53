import { decode, encode, parse, stringify } from '@lumenize/structured-clone';
import { expect, test } from 'vitest';
import { memoryTaken } from './memory.ts';

test('long text with a lone surrogate takes a few times its memory', () => {
  const text = `\ud800${'x'.repeat(1_000_000)}`;
  const encoding = encode(text);
  expect(decode(encoding)).toBe(text);
  expect(memoryTaken(() => decode(encoding))).toBeLessThan(15_000_000);
});

// V8 makes room for all indices below the first, unless something tells it not to.
test.each(['{"$Error":[0,"1000",0]}', '{"$null":{"1000":0}}', '{"1000":{"$undefined":0}}'])(
  'many objects like %s take no memory for smaller indices, neither when read nor when written',
  (object) => {
    const text = `{"$":[${new Array(1000).fill(object)}]}`;
    const copy = parse(text);
    expect(stringify(copy)).toBe(text);
    expect(memoryTaken(() => parse(text))).toBeLessThan(3_000_000);
    expect(memoryTaken(() => stringify(copy))).toBeLessThan(3_000_000);
  },
);

test('an array of a class with a toJSON is text like any other', () => {
  class Vector extends Array<number> {
    toJSON(): string {
      return 'vector';
    }
  }
  expect(parse(stringify([Vector.of(1, 2)]))).toEqual([[1, 2]]);
});
