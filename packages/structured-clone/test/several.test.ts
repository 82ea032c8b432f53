import { decode, encode } from '@lumenize/structured-clone';
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
