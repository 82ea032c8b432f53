import { CloneError, decode, encode } from '@lumenize/structured-clone';
import {
  checkUsed,
  common,
  createTypes,
  fromMessage,
  located,
  Reviver,
  readTree,
  textOf,
  toMessage,
  web,
} from '@lumenize/structured-clone/messages';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { messageOf } from './fuzz/mutate-message.ts';
import { collectGarbage } from './memory.ts';

const types = createTypes(common, web);

/** Writes the texts of several values, which are one array in the end, with the bytes of all behind it. */
function frameOf(values: readonly unknown[]) {
  const tail: Uint8Array[] = [];
  return toMessage(`[${values.map((value) => textOf(value, { types, tail })).join()}]`, tail);
}

function valuesOf(frame: string | Uint8Array, limits = {}): unknown[] {
  const { text, tail } = fromMessage(frame);
  const reviver = new Reviver({ types, tail }, { limits });
  const values = (readTree(text, reviver.limits, reviver.left, 1) as unknown[]).map((entry) => reviver.value(entry));
  checkUsed(reviver);
  return values;
}

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

describe('texts of several values in one message', () => {
  const shared = { a: 1 };
  const values = [
    [1, 'plain'],
    [new Date(1), Uint8Array.of(1)],
    [shared, shared],
    undefined,
    [new Uint8Array(0), new Map([[shared, Uint8Array.of(2, 3)]])],
    { $: [] },
  ];

  test('arrive each as it left, and share no objects', () => {
    const copies = valuesOf(frameOf(values)) as typeof values;
    expect(copies).toEqual(values);
    expect((copies[2] as unknown[])[0]).toBe((copies[2] as unknown[])[1]);
    expect((copies[2] as unknown[])[0]).not.toBe([...(copies[4] as [unknown, Map<unknown, unknown>])[1].keys()][0]);
  });

  test('are captured when they are written, and go into any message later', () => {
    const captured = values.map((value) => {
      const tail: Uint8Array[] = [];
      return { text: textOf(value, { types, tail }), tail };
    });
    const tail = [...captured[4].tail, ...captured[1].tail];
    const frame = toMessage(`[${captured[4].text},${captured[0].text},${captured[1].text}]`, tail);
    expect(valuesOf(frame)).toEqual([values[4], values[0], values[1]]);
  });

  test('a value that is refused leaves nothing behind', () => {
    const tail = [Uint8Array.of(1)];
    const refused = [Uint8Array.of(2), new Map([['bytes', Uint8Array.of(3)]]), { token: Symbol('x') }];
    expect(attempt(() => textOf(refused, { types, tail, locate: located }))).toMatchObject({
      code: 'NOT_CLONEABLE',
      path: 'value[2].token',
    });
    expect(tail).toEqual([Uint8Array.of(1)]);
  });

  test('without what locates errors, they say what is wrong and not where', () => {
    expect(attempt(() => textOf([Symbol('x')], { types }))).toMatchObject({
      code: 'NOT_CLONEABLE',
      message: 'symbols cannot be cloned',
    });
  });

  test('a buffer that two views of one value share does not disturb the bytes before it', () => {
    const buffer = Uint8Array.of(1, 2, 3).buffer;
    const value = [Uint8Array.of(9), new Uint8Array(buffer), new Uint8Array(buffer, 1)];
    expect(valuesOf(frameOf([[Uint8Array.of(8)], value, [Uint8Array.of(7)]]))).toEqual([
      [Uint8Array.of(8)],
      value,
      [Uint8Array.of(7)],
    ]);
  });

  test('are within limits each, and all objects of those that are plain together', () => {
    const deep = (times: number) => JSON.parse(`${'['.repeat(times)}${']'.repeat(times)}`);
    const limits = { maxDepth: 10, maxObjects: 100 };
    const marked = [...deep(10), new Date(0)];
    expect(valuesOf(frameOf([deep(10), marked, deep(10)]), limits)).toHaveLength(3);
    const refusal = (values: unknown[]) => attempt(() => valuesOf(frameOf(values), limits));
    expect(refusal([deep(11), marked])).toMatchObject({ message: 'maxDepth of 10 exceeded' });
    expect(refusal([marked, deep(11)])).toMatchObject({ message: 'maxDepth of 10 exceeded' });
    expect(refusal([[deep(10), new Date(0)]])).toMatchObject({ message: 'maxDepth of 10 exceeded' });
    expect(refusal(new Array(101).fill([]))).toMatchObject({ message: 'maxObjects of 100 exceeded' });
    expect(refusal([new Array(100).fill(0).map(() => new Date(0))])).toMatchObject({
      message: 'maxObjects of 100 exceeded',
    });
  });
});

test('maxBytes counts text as UTF-8, and the bytes behind it', () => {
  const limits = { maxBytes: 20 };
  for (const value of ['x'.repeat(18), 'é'.repeat(9), '日'.repeat(6)]) {
    expect(decode(encode(value, { limits }), { limits })).toBe(value);
  }
  for (const value of ['x'.repeat(19), 'é'.repeat(10), '日'.repeat(7), new Uint8Array(10)]) {
    expect(() => encode(value, { limits })).toThrow('maxBytes of 20');
    expect(() => decode(encode(value), { limits })).toThrow('maxBytes of 20');
  }
});
