import { createDecoder, createEncoder, decode, encode, parse, stringify } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import * as f from './forge.ts';
import { collectGarbage, memoryTaken } from './memory.ts';

/** Puts bytes into memory that other bytes are in too, as Node's Buffers mostly are. */
function pooled(bytes: Uint8Array): Buffer {
  const pool = Buffer.alloc(bytes.length + 64, 0x5a);
  pool.set(bytes, 32);
  return pool.subarray(32, 32 + bytes.length);
}

describe('decoding a Node Buffer, whose slices are views of its memory,', () => {
  test.each<[name: string, value: ArrayBuffer | ArrayBufferView]>([
    ['a view', new Uint8Array([1, 2, 3])],
    ['a view of larger elements', new Float64Array([1.5, 2.5])],
    ['a buffer', new Uint8Array([1, 2, 3]).buffer],
  ])('makes of %s one with memory of its own', (_name, value) => {
    const encoding = pooled(encode(value));
    const decoded = decode(encoding) as typeof value;
    encoding.fill(0);
    expect(decoded).toEqual(value);
    const { byteLength } = ArrayBuffer.isView(decoded) ? decoded.buffer : decoded;
    expect(byteLength).toBe(value.byteLength);
  });

  test('remembers shapes as they were', () => {
    const encoding = pooled(f.forge([f.object(0, 1, 2), 1, 2], 'qzx'));
    expect(decode(encoding)).toEqual({ q: 1, zx: 2 });
    // The same text, cut elsewhere.
    const other = f.forge([f.object(0, 2, 1), 1, 2], 'qzx');
    encoding.set(other);
    expect(decode(other)).toEqual({ qz: 1, x: 2 });
  });
});

describe('nothing is kept alive', () => {
  const kinds: readonly [name: string, value: () => object][] = [
    ['text', () => ({ text: 'long '.repeat(100_000) })],
    ['bytes', () => new Uint8Array(100_000)],
  ];

  test.each(kinds)('of an encoding with %s that was decoded', async (_name, value) => {
    const decoder = createDecoder();
    const encoding = decodeOnce(decoder, value());
    // A WeakRef that was read in a task keeps its object until the next.
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
    expect(encoding.deref()).toBeUndefined();
    decoder(encode(1), () => {});
  });

  test('of a large value that was refused, with a small one that comes after it', () => {
    const encoder = createEncoder();
    expect(() => encoder.write([new Uint8Array(1_000_000), Symbol('x')])).toThrow('value[1]');
    encoder.write(['small', 'values'.repeat(20)]);
    expect(encoder.finish().buffer.byteLength).toBeLessThan(1000);
  });
});

function decodeOnce(decoder: ReturnType<typeof createDecoder>, value: object): WeakRef<Uint8Array> {
  const encoding = encode(value);
  decoder(encoding, () => {});
  return new WeakRef(encoding);
}

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
