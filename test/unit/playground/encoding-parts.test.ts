import { encode } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { partsOfEncoding } from '../../../examples/playground/page/frame/encoding-parts.ts';
import { EXAMPLES } from '../../../examples/playground/page/values/examples.ts';
import { GOLDEN } from '../../../packages/structured-clone/test/golden-vectors.ts';

/** The example whose value cannot be encoded. */
const REFUSED = 'Class instance';

describe('partsOfEncoding()', () => {
  test.each(GOLDEN.map(({ name, bytes }) => [name, bytes]))('puts every byte into one part: %s', (_name, hex) => {
    expectCovered(bytesOf(hex));
  });

  test.each(
    EXAMPLES.filter(({ label }) => label !== REFUSED && label !== 'Blob').map(({ label, expression }) => [
      label,
      expression,
    ]),
  )('puts every byte of an example into one part: %s', (_label, expression) => {
    expectCovered(encode(valueOf(expression)));
  });

  test('says what the bytes say', () => {
    const said = partsOfEncoding(bytesOf('82 a0 02 02 01 a0 02 69 64 02')).map(({ label }) => label);
    expect(said).toEqual([
      'a list of 2',
      'an object of shape 0, new: {id}',
      '1',
      'an object of shape 0: {id}',
      '2',
      'keys: id',
      'the trailer: 2 bytes of text before it',
    ]);
  });

  test('names the parts of types', () => {
    const said = partsOfEncoding(encode([/a/g, new Float32Array(1)])).map(({ label }) => label);
    expect(said).toContain('source: a string of 1: "a"');
    expect(said).toContain('class Float32Array: 14');
  });

  test('follows values that are too deep to stand in their place', () => {
    let deep: unknown = [1, 'in the middle', 2];
    for (let depth = 0; depth < 200; depth++) deep = [deep, new Map([[depth, 'text']])];
    const parts = expectCovered(encode(deep));
    expect(parts.some(({ label }) => label.includes('in the middle'))).toBe(true);
  });

  test('refuses what is no encoding, and never runs on', () => {
    const whole = encode({ a: [1, 'text', new Date(0), new Uint8Array(4)], b: -0 });
    for (let length = 0; length < whole.length; length++) {
      expect(() => partsOfEncoding(whole.subarray(0, length))).toThrow(RangeError);
    }
  });
});

/** Checks that the parts follow each other without gaps, up to the end. */
function expectCovered(bytes: Uint8Array) {
  const parts = partsOfEncoding(bytes);
  const inOrder = parts.toSorted((a, b) => a.start - b.start);
  expect(inOrder.map(({ start }) => start)).toEqual([0, ...inOrder.slice(0, -1).map(({ end }) => end)]);
  expect(inOrder.at(-1)!.end).toBe(bytes.length);
  return parts;
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.trim().split(/\s+/), (byte) => Number.parseInt(byte, 16));
}

function valueOf(expression: string): unknown {
  return new Function(`return (${expression})`)();
}
