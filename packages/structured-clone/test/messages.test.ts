import { CloneError, decode, encode } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { messageOf } from './fuzz/mutate-message.ts';
import { collectGarbage } from './memory.ts';

describe('a message', () => {
  test.each([
    ['data', { a: [1, 'x', null] }, '{"a":[1,"x",null]}'],
    ['a date', [new Date(0)], '{"$":[{"$Date":[0]}]}'],
    ['a key like that of a mark', { $: 1 }, '{"$":{"$":{"$":1}}}'],
  ])('with %s is text', (_what, value, text) => {
    expect(encode(value)).toBe(text);
    expect(decode(text)).toEqual(value);
  });

  test('with bytes is the length of its text, the text and the bytes as they are', () => {
    const message = encode([Uint8Array.of(1, 2), 'é', new ArrayBuffer(1)]) as Uint8Array;
    const text = '{"$":[{"$Uint8Array":[{"$bytes":2}]},"é",{"$ArrayBuffer":[{"$bytes":1}]}]}';
    expect(Buffer.from(message).toString('latin1')).toBe(
      Buffer.concat([
        Uint8Array.of(0, 0, 0, Buffer.byteLength(text)),
        Buffer.from(text),
        Uint8Array.of(1, 2, 0),
      ]).toString('latin1'),
    );
    expect(decode(message)).toEqual([Uint8Array.of(1, 2), 'é', new ArrayBuffer(1)]);
  });

  test('that lies in other memory is read, and what is read has memory of its own', () => {
    const message = encode([Uint8Array.of(1, 2, 3), Float64Array.of(1.5)]) as Uint8Array;
    const pool = Buffer.alloc(message.length + 20, 0x5a);
    pool.set(message, 7);
    const [bytes, floats] = decode(pool.subarray(7, 7 + message.length)) as [Uint8Array, Float64Array];
    pool.fill(0);
    expect([[...bytes], [...floats]]).toEqual([[1, 2, 3], [1.5]]);
    expect([bytes.buffer.byteLength, floats.buffer.byteLength]).toEqual([3, 8]);
  });

  test('with two views of one buffer has its bytes once', () => {
    const buffer = new ArrayBuffer(1000);
    const message = encode([new Uint8Array(buffer, 1), new Uint8Array(buffer), buffer]) as Uint8Array;
    expect(message.length).toBeLessThan(1200);
    const [first, second, whole] = decode(message) as [Uint8Array, Uint8Array, ArrayBuffer];
    expect([first.buffer, second.buffer]).toEqual([whole, whole]);
    expect(first.buffer).toBe(whole);
  });

  test('that was decoded is not kept alive', async () => {
    const message = new WeakRef(encode(new Uint8Array(100_000)) as Uint8Array);
    const value = decode(message.deref()!);
    await new Promise((resolve) => setTimeout(resolve));
    collectGarbage();
    expect(message.deref()).toBeUndefined();
    expect((value as Uint8Array).length).toBe(100_000);
  });
});

describe('malformed is a message', () => {
  const bytes = '{"$":{"$Uint8Array":[{"$bytes":2}]}}';
  const two = Uint8Array.of(1, 2);

  test.each<[string, string | Uint8Array]>([
    ['of no bytes', new Uint8Array()],
    ['that is cut off in its length', Uint8Array.of(0, 0, 1)],
    ['whose text is longer than it is', Uint8Array.of(0xff, 0xff, 0xff, 0xfe, 49)],
    ['whose text is not UTF-8', Uint8Array.of(0, 0, 0, 3, 0x22, 0xff, 0x22)],
    ['that begins with a mark of the byte order', Uint8Array.of(0, 0, 0, 4, 0xef, 0xbb, 0xbf, 49)],
    ['that has no text', Uint8Array.of(0, 0, 0, 0, 1, 2)],
    ['with fewer bytes than it says', messageOf(bytes, two.subarray(1))],
    ['with more bytes than it says', messageOf(bytes, Uint8Array.of(1, 2, 3))],
    ['with bytes that nothing uses', messageOf('[1]', two)],
    ['with bytes that are used twice', messageOf(`{"$":[${bytes.slice(5, -1)},${bytes.slice(5, -1)}]}`, two)],
    ['with less than no bytes', messageOf(bytes.replace('2', '-2'), two)],
    ['with half a byte', messageOf(bytes.replace('2', '1.5'), two)],
    ['with bytes in base64', messageOf(bytes.replace('2', '"AQI="'), new Uint8Array())],
    ['of text with bytes that it does not have', bytes],
    ['of text with no bytes that it does not have', bytes.replace('2', '0')],
    ['of bytes by themselves', messageOf('{"$":{"$bytes":2}}', two)],
    ['of bytes in a list', messageOf('{"$":[{"$bytes":2}]}', two)],
    ['of bytes in a Map', messageOf('{"$":{"$Map":[1,{"$bytes":2}]}}', two)],
  ])('%s', (_what, message) => {
    expect(attempt(() => decode(message))).toMatchObject({ code: 'MALFORMED' });
  });

  test('whose text claims the bytes that others have', () => {
    const claims = `{"$":[${'{"$Uint8Array":[{"$bytes":1000000000}]},'.repeat(100)}0]}`;
    expect(attempt(() => decode(messageOf(claims, two)))).toBeInstanceOf(CloneError);
  });
});
