import { CloneError, decode, encode, parse, stringify } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';

describe('a text that is the whole value', () => {
  test.each(['', 'x', "'", '"quoted\\"', '\u0000\n', 'größer 😀', '{"$":1}'])(
    'is the message, behind an apostrophe: %j',
    (text) => {
      expect(encode(text)).toBe(`'${text}`);
      expect(decode(`'${text}`)).toBe(text);
      expect(stringify(text)).toBe(JSON.stringify(text));
    },
  );

  test('is JSON if UTF-8 cannot express it', () => {
    expect(encode('a\ud800')).toBe('"a\\ud800"');
    expect(decode('"a\\ud800"')).toBe('a\ud800');
  });

  test('is JSON where an engine cannot tell', () => {
    const own = Object.getOwnPropertyDescriptor(String.prototype, 'isWellFormed')!;
    Reflect.deleteProperty(String.prototype, 'isWellFormed');
    try {
      expect(encode('x')).toBe('"x"');
    } finally {
      Object.defineProperty(String.prototype, 'isWellFormed', own);
    }
  });

  test('is read from messages that have it as JSON, as earlier versions wrote it', () => {
    expect(decode('"x"')).toBe('x');
  });

  test('is no text of a form, and none of a message with bytes', () => {
    expect(attempt(() => parse("'x"))).toMatchObject({ code: 'MALFORMED' });
    expect(attempt(() => decode(Uint8Array.of(0, 0, 0, 2, 0x27, 0x78)))).toMatchObject({ code: 'MALFORMED' });
  });

  test('has at most maxBytes, as UTF-8', () => {
    const limits = { maxBytes: 6 };
    expect(decode(encode('ééé', { limits }), { limits })).toBe('ééé');
    for (const run of [() => encode('éééx', { limits }), () => decode("'éééx", { limits })]) {
      expect(attempt(run)).toMatchObject({ code: 'LIMIT_EXCEEDED', message: 'maxBytes of 6 exceeded' });
    }
  });
});

describe('bytes that are the whole value', () => {
  const MESSAGE = Uint8Array.of(0, 0, 0, 0, 1, 2);

  test('are the message, behind the length of a text that is not there', () => {
    expect(encode(Uint8Array.of(1, 2))).toEqual(MESSAGE);
    expect(encode(new Uint8Array(0))).toEqual(new Uint8Array(4));
    expect(encode(new Uint8Array(8).fill(9).subarray(3, 5))).toEqual(Uint8Array.of(0, 0, 0, 0, 9, 9));
    for (const message of [MESSAGE, MESSAGE.buffer, Buffer.from(MESSAGE)]) {
      const bytes = decode(message) as Uint8Array;
      expect(bytes).toEqual(Uint8Array.of(1, 2));
      expect([bytes.constructor, bytes.buffer.byteLength]).toEqual([Uint8Array, 2]);
    }
  });

  test('share no memory with the message', () => {
    const bytes = Uint8Array.of(1, 2);
    const message = encode(bytes) as Uint8Array;
    bytes.fill(0);
    const copy = decode(message);
    message.fill(7);
    expect(copy).toEqual(Uint8Array.of(1, 2));
  });

  test('are read from messages with a text, as earlier versions wrote them', () => {
    const text = new TextEncoder().encode('{"$":{"$Uint8Array":[{"$bytes":2}]}}');
    expect(decode(Uint8Array.of(0, 0, 0, text.length, ...text, 1, 2))).toEqual(Uint8Array.of(1, 2));
  });

  test.each<[string, () => Uint8Array]>([
    ['of a buffer that can grow', () => new Uint8Array(new ArrayBuffer(2, { maxByteLength: 8 } as object))],
    ['of another class', () => new Uint8ClampedArray(2) as unknown as Uint8Array],
  ])('have a text if they are views %s', (_what, make) => {
    const message = encode(make()) as Uint8Array;
    expect(message[3]).toBeGreaterThan(0);
    const copy = decode(message) as Uint8Array<ArrayBuffer>;
    expect([copy.constructor, copy.buffer.maxByteLength]).toEqual([
      make().constructor,
      (make().buffer as ArrayBuffer).maxByteLength,
    ]);
  });

  test('are refused if their buffer was transferred', () => {
    const bytes = new Uint8Array(2);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    expect(attempt(() => encode(bytes))).toBeInstanceOf(CloneError);
  });

  test('are at most maxBytes, and are refused as their class is', () => {
    const limits = { maxBytes: 1 };
    for (const run of [() => encode(Uint8Array.of(1, 2), { limits }), () => decode(MESSAGE, { limits })]) {
      expect(attempt(run)).toMatchObject({ code: 'LIMIT_EXCEEDED', message: 'maxBytes of 1 exceeded' });
    }
    expect(attempt(() => decode(MESSAGE, { refuse: ['Uint8Array'] }))).toMatchObject({ code: 'NOT_CLONEABLE' });
  });

  test.each([0, 1, 3])('are none if the message has only %i bytes', (length) => {
    expect(attempt(() => decode(new Uint8Array(length)))).toMatchObject({ code: 'MALFORMED' });
  });
});
