import { createDecoder, createEncoder } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';

/** Encodes a sequence, with an encoder that may have been used before. */
function encodeAll(values: readonly unknown[], encoder = createEncoder()): Uint8Array {
  for (const value of values) encoder.write(value);
  return encoder.finish();
}

function decodeAll(bytes: Uint8Array): unknown[] {
  const values: unknown[] = [];
  createDecoder()(bytes, (value) => values.push(value));
  return values;
}

describe('a sequence of values', () => {
  test('shares shapes and strings', () => {
    const row = () => ({ identifier: 'abcdef', description: 'ghijkl' });
    const one = encodeAll([row()]).length;
    const two = encodeAll([row(), row()]);
    expect(two.length - one).toBe(3);
    expect(decodeAll(two)).toEqual([row(), row()]);
  });

  test('shares no objects', () => {
    const object = { n: 1 };
    const encoder = createEncoder();
    encoder.write(object);
    object.n = 2;
    const [first, second] = decodeAll(encodeAll([object], encoder));
    expect([first, second]).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('loses nothing but a value that is refused', () => {
    const encoder = createEncoder();
    encoder.write({ name: 'before', id: 1 });
    const refused = () => encoder.write({ name: 'refused name', text: 'x'.repeat(5000), other: { deep: Symbol('x') } });
    expect(refused).toThrow('at value.other.deep');
    encoder.write({ name: 'refused name', id: 2 });
    expect(decodeAll(encoder.finish())).toEqual([
      { name: 'before', id: 1 },
      { name: 'refused name', id: 2 },
    ]);
  });

  test('stops at maxBytes before it takes the memory, and goes on after', () => {
    const encoder = createEncoder({ limits: { maxBytes: 1000 } });
    expect(() => encoder.write(new Uint8Array(2000))).toThrow('maxBytes');
    expect(() => encoder.write(['x'.repeat(2000)])).toThrow('maxBytes');
    expect(decodeAll(encodeAll(['ok'], encoder)).at(-1)).toBe('ok');
  });

  test('forgets strings that another pushed out of the table, not those of a new encoding', () => {
    const encoder = createEncoder();
    for (let round = 0; round < 3; round++) {
      const words = Array.from({ length: 2000 }, (_, index) => `word-${index % 700}`);
      expect(decodeAll(encodeAll([words], encoder))).toEqual([words]);
    }
  });
});

describe('rows', () => {
  test('cost their keys once and repeated strings once', () => {
    const rows = Array.from({ length: 100 }, (_, id) => ({
      id,
      kind: 'measurement',
      unit: id % 2 ? 'metres' : 'seconds',
    }));
    const { length } = encodeAll([rows]);
    expect(length).toBeLessThan(JSON.stringify(rows).length * 0.12);
  });

  test('keep the bytes of text in chunks that no short string can hold on to', () => {
    const long = 'é'.repeat(3000);
    const values = [long, 'abc', long, 'a'.repeat(9000), '\uD800', long];
    expect(decodeAll(encodeAll([values]))).toEqual([values]);
  });
});
