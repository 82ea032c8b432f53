import { openAsBlob } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { decode, encode, readBodies } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';

describe('a Blob that the platform made of another', () => {
  test.each<[string, () => Blob | Promise<Blob>, string]>([
    ['blob.slice', () => new Blob(['hello'], { type: 'text/plain' }).slice(1, 3, 'text/html'), 'el'],
    ['file.slice', () => new File(['hello'], 'a.txt').slice(0, 1), 'h'],
    ['openAsBlob', async () => (await openAsBlob(fileURLToPath(import.meta.url))).slice(0, 6), 'import'],
  ])('arrives, although it has properties of its own: %s', async (_name, make, text) => {
    const blob = await make();
    const [copy] = decode(encode([blob], { bodies: await readBodies([blob]) })) as [Blob];
    expect([await copy.text(), copy.type]).toEqual([text, blob.type]);
  });
});

test.each([[5], ['Map'], [{}]])('a constructor of %j is a property like others, and refused', (constructor) => {
  expect(() => encode(Object.assign(new Map(), { constructor }))).toThrow('named properties of');
});

test('values of another realm arrive as those of this one', () => {
  const foreign = runInNewContext(`({
    map: new Map([[1, new Set(['x'])]]), date: new Date(5), regexp: /x/g, list: [1, , 2], none: Object.create(null),
    error: new (class Own extends TypeError {})('no', { cause: { a: 1 } }), bytes: new Uint8Array([1]), box: Object(1n),
  })`);
  expect(decode(encode(foreign))).toStrictEqual({
    map: new Map([[1, new Set(['x'])]]),
    date: new Date(5),
    regexp: /x/g,
    list: [1, , 2],
    none: Object.create(null),
    error: new TypeError('no', { cause: { a: 1 } }),
    bytes: Uint8Array.of(1),
    box: Object(1n),
  });
});
