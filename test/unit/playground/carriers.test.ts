import { describe, expect, test } from 'vitest';
import { CARRIERS } from '../../../examples/playground/page/values/carriers.ts';

describe('what others make of a value', () => {
  test.each([
    ['JSON', new Map([['a', 1]]), ['Map(1) became {}']],
    ['JSON', -0, ['-0 became 0']],
    ['JSON', { a: undefined, b: Number.NaN }, ['a is missing', 'b: NaN became null']],
    ['JSON', [1, , 3], ['the hole at [1] was filled']],
    ['Cap’n Web', { a: new Date(0), b: 5n }, []],
    ['structuredClone', { a: [/x/g] }, []],
  ])('%s names what it lost of %o', (name, value, lost) => {
    expect(carry(name, value)).toMatchObject({ lost });
  });

  test.each([
    ['JSON', 1n, 'BigInt'],
    ['JSON', undefined, 'no text to send'],
    ['Cap’n Web', new Map(), 'serialize'],
    ['structuredClone', () => {}, 'could not be cloned'],
  ])('%s says why it refuses %o', (name, value, why) => {
    expect(carry(name, value)).toMatchObject({ refused: expect.stringContaining(why) });
  });

  test('an object that was there twice is found out where it has become two', () => {
    const shared = { city: 'London' };
    expect(carry('JSON', [shared, shared])).toMatchObject({ lost: [expect.stringContaining('another object')] });
    expect(carry('structuredClone', [shared, shared])).toMatchObject({ lost: [] });
  });

  test('no more is listed than can be read', () => {
    const { lost } = carry('JSON', Array(50).fill(undefined)) as { readonly lost: readonly string[] };
    expect(lost).toHaveLength(7);
    expect(lost.at(-1)).toBe('and more');
  });
});

function carry(name: string, value: unknown) {
  return CARRIERS.find((carrier) => carrier.name === name)!.carry(value);
}
