import { parse, register, stringify } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { SAMPLES } from '../../../test/contract/samples.ts';
import { attempt } from './attempt.ts';
import { FORMS, roundTrip } from './forms.ts';
import { sameGraph } from './graph/same-graph.ts';

describe.each(FORMS)('as $name', (form) => {
  test.each(SAMPLES)('$name arrives as it left', ({ make }) => {
    expect(roundTrip(form, make())).toStrictEqual(make());
  });

  test('plain data is what native structuredClone makes of it', () => {
    const value = { list: [1, , 'x'], map: new Map([[{ k: 1 }, new Set([2n])]]), date: new Date(5) };
    expect(roundTrip(form, value)).toStrictEqual(structuredClone(value));
  });

  test('-0 stays -0', () => {
    expect(Object.is(roundTrip(form, -0), -0)).toBe(true);
  });

  test('a RegExp keeps flags and lastIndex', () => {
    const regexp = /a+/giu;
    regexp.lastIndex = 3;
    const copy = roundTrip(form, regexp) as RegExp;
    expect([copy.source, copy.flags, copy.lastIndex]).toEqual(['a+', 'giu', 3]);
  });

  test('data that looks like the form itself stays data', () => {
    const value = { $reference: 0, $$x: 1, $: 2, a: { $Map: [] }, b: { $undefined: 0 } };
    expect(roundTrip(form, value)).toStrictEqual(value);
  });

  test('holes stay holes', () => {
    const copy = roundTrip(form, [, undefined]) as unknown[];
    expect([0 in copy, 1 in copy, copy.length]).toEqual([false, true, 2]);
  });

  describe('identity', () => {
    test('of an object used twice is kept', () => {
      const shared = { a: 1 };
      const copy = roundTrip(form, [shared, { shared }, new Map([[shared, shared]])]) as [
        object,
        { shared: object },
        Map<object, object>,
      ];
      expect(copy[1].shared).toBe(copy[0]);
      expect([...copy[2]][0]).toEqual([copy[0], copy[0]]);
      expect(copy[2].get(copy[0])).toBe(copy[0]);
    });

    test('survives cycles through every container', () => {
      const cycle: Record<string, unknown> = {};
      const error = new Error('x', { cause: cycle });
      Object.assign(cycle, {
        self: cycle,
        list: [cycle],
        map: new Map([[cycle, cycle]]),
        set: new Set([cycle]),
        error,
      });
      const copy = roundTrip(form, cycle) as typeof cycle;
      expect(copy.self).toBe(copy);
      expect((copy.list as unknown[])[0]).toBe(copy);
      expect((copy.map as Map<unknown, unknown>).get(copy)).toBe(copy);
      expect((copy.set as Set<unknown>).has(copy)).toBe(true);
      expect((copy.error as Error).cause).toBe(copy);
    });

    test('of a buffer that two views use is kept', () => {
      const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
      const [bytes, words, whole, view] = roundTrip(form, [
        new Uint8Array(buffer, 4, 4),
        new Int16Array(buffer, 2, 3),
        buffer,
        new DataView(buffer, 1, 5),
      ]) as [Uint8Array, Int16Array, ArrayBuffer, DataView];
      expect([bytes.buffer, words.buffer, view.buffer]).toEqual([whole, whole, whole]);
      expect(words.buffer).toBe(whole);
      expect([bytes.byteOffset, words.byteOffset, words.length, view.byteOffset, view.byteLength]).toEqual([
        4, 2, 3, 1, 5,
      ]);
      bytes[0] = 99;
      expect(new Uint8Array(whole)[4]).toBe(99);
    });

    test('of a buffer that one view uses is not: only the bytes it shows are sent', () => {
      const copy = roundTrip(form, new Uint8Array(new ArrayBuffer(1000), 10, 3)) as Uint8Array;
      expect([copy.length, copy.byteOffset, copy.buffer.byteLength]).toEqual([3, 0, 3]);
    });

    test("of Node's pooled buffers never drags the pool along", () => {
      const copies = roundTrip(form, [Buffer.from('one'), Buffer.from('two')]) as Uint8Array[];
      expect(copies.map((copy) => [Buffer.from(copy).toString(), copy.buffer.byteLength])).toEqual([
        ['one', 3],
        ['two', 3],
      ]);
    });
  });

  describe('errors', () => {
    test('of a class that is not known keep its name on the nearest class that is', () => {
      class ValidationError extends TypeError {
        override readonly name = 'ValidationError';
      }
      const copy = roundTrip(form, new ValidationError('no')) as Error;
      expect(copy).toBeInstanceOf(TypeError);
      expect([copy.name, copy.message]).toEqual(['ValidationError', 'no']);
    });

    test.each([
      ['Error', class Labelled extends Error {}],
      ['RangeError', class Labelled extends RangeError {}],
    ] as const)(
      'of a class that labels its instances arrive as the nearest class that is known: %s',
      (name, parent) => {
        Object.defineProperty(parent.prototype, Symbol.toStringTag, { value: 'Labelled' });
        const copy = roundTrip(form, { failed: new parent('no') }) as { failed: Error };
        expect([copy.failed.constructor.name, copy.failed.message]).toEqual([name, 'no']);
      },
    );

    test('that only have the name of an exception of the platform keep their class and properties', () => {
      const copy = roundTrip(form, Object.assign(new Error('no'), { name: 'DOMException', code: 5 })) as DOMException;
      expect([copy.constructor, copy.name, copy.code]).toEqual([Error, 'DOMException', 5]);
    });

    test('of a class of old, which only inherits from Error, arrive as errors', () => {
      function Old(this: Error, message: string) {
        this.message = message;
      }
      Old.prototype = Object.create(Error.prototype, { name: { value: 'Old' } });
      const copy = roundTrip(form, Reflect.construct(Old, ['no'])) as Error;
      expect([copy instanceof Error, copy.name, copy.message]).toEqual([true, 'Old', 'no']);
    });

    test.each([
      ['undefined', undefined],
      ['null', null],
      ['a number', 5],
      ['a bigint', 5n],
      ['an object', { code: 5, toString: 'x' }],
      ['an object without prototype', Object.assign(Object.create(null), { a: 1 })],
      ['a list', ['x', undefined]],
      ['a date', new Date(0)],
      ['another error', new TypeError('no')],
    ])('whose name or message is %s keep it', (_name, value) => {
      for (const key of ['name', 'message'] as const) {
        for (const enumerable of [true, false]) {
          const error = Object.defineProperty(new Error('x'), key, { value, enumerable, configurable: true });
          const copy = roundTrip(form, error) as Error;
          expect(sameGraph(value, copy[key]), key).toBeUndefined();
          expect(Object.keys(copy)).toEqual(enumerable ? [key] : []);
          expect(typeof copy.stack).toBe('string');
        }
      }
    });

    test.each([
      ['a symbol', Symbol('x')],
      ['a function', () => 'secret'],
      ['an instance of an unknown class', new (class Point {})()],
    ])('whose message is %s are refused with the path to it', (_name, message) => {
      const error = Object.defineProperty(new Error('x'), 'message', { value: message });
      expect(attempt(() => form.write([error]))).toMatchObject({ code: 'NOT_CLONEABLE', path: 'value[0].message' });
    });

    test('whose message would be called to make text of it are read without calling it', () => {
      let called = 0;
      const message = { toString: () => void called++, [Symbol.toPrimitive]: () => void called++ };
      const encoding = form.write(Object.assign(new Error('x'), { message, name: message }), {
        extend: () => ({ name: 'one', parts: [] }),
      });
      const copy = form.read(encoding, { revive: () => () => void called++ }) as Error;
      expect(copy.message).toEqual({ toString: expect.any(Function) });
      expect(called).toBe(0);
    });

    test('whose message comes from their class keep it', () => {
      class Fixed extends RangeError {
        override get message(): string {
          return 'always this';
        }
      }
      expect((roundTrip(form, new Fixed()) as Error).message).toBe('always this');
    });

    test('carry their stack only when asked', () => {
      const error = new Error('x');
      expect((roundTrip(form, error) as Error).stack).toBe('Error: x');
      expect((form.read(form.write(error, { errorStacks: true })) as Error).stack).toBe(error.stack);
    });

    test('without a message have none of their own', () => {
      for (const error of [new Error(), new TypeError(undefined, { cause: 1 }), new AggregateError([])]) {
        const copy = roundTrip(form, error) as Error;
        expect([Object.hasOwn(copy, 'message'), copy.message]).toEqual([false, '']);
      }
      expect(Object.hasOwn(roundTrip(form, new Error('')) as Error, 'message')).toBe(true);
    });

    test('that "using" suppressed arrive with the one that did, and where they were thrown only when asked', () => {
      const first = new TypeError('of the block');
      const error = new SuppressedError(new RangeError('of the disposal'), first, 'both');
      Object.assign(error, { code: 5, first });
      const copy = roundTrip(form, error) as SuppressedError & { code: number; first: unknown };
      expect(copy).toBeInstanceOf(SuppressedError);
      expect([copy.name, copy.message, copy.stack, copy.code]).toEqual([
        'SuppressedError',
        'both',
        'SuppressedError: both',
        5,
      ]);
      expect(copy.error).toStrictEqual(new RangeError('of the disposal'));
      expect(copy.suppressed).toStrictEqual(first);
      expect(copy.first).toBe(copy.suppressed);
      expect(Object.keys(copy)).toEqual(['code', 'first']);
      expect((form.read(form.write(error, { errorStacks: true })) as Error).stack).toBe(error.stack);
    });

    test('that suppress each other in a circle do so when they arrive', () => {
      const error = new SuppressedError(1, 2);
      error.suppressed = [error];
      const copy = roundTrip(form, error) as SuppressedError;
      expect([copy.error, Object.hasOwn(copy, 'message')]).toEqual([1, false]);
      expect(copy.suppressed).toEqual([copy]);
    });

    test('of a class that only the sender has are errors of that name', () => {
      const { SuppressedError } = globalThis;
      const encoding = form.write(new SuppressedError(1, new Map([['a', 2]]), 'both'));
      Reflect.deleteProperty(globalThis, 'SuppressedError');
      try {
        const copy = form.read(encoding) as SuppressedError;
        expect(Object.prototype.toString.call(copy)).toBe('[object Error]');
        expect(String(copy)).toBe('SuppressedError: both');
        expect([copy.error, copy.suppressed, Object.keys(copy)]).toEqual([1, new Map([['a', 2]]), []]);
      } finally {
        Object.defineProperty(globalThis, 'SuppressedError', {
          value: SuppressedError,
          writable: true,
          configurable: true,
        });
      }
    });

    test('of the platform carry their stack only when asked', () => {
      const exception = new DOMException('no', 'AbortError');
      const copy = roundTrip(form, exception) as DOMException;
      expect([copy.stack, copy.message, copy.name, copy.code]).toEqual(['AbortError: no', 'no', 'AbortError', 20]);
      const whole = form.read(form.write(exception, { errorStacks: true })) as DOMException;
      expect([whole.stack, Object.keys(whole)]).toEqual([exception.stack, []]);
    });

    test('have message and cause where an error has them, not among the enumerable properties', () => {
      const copy = roundTrip(form, new Error('x', { cause: 1 })) as Error;
      expect([Object.keys(copy), copy.cause]).toEqual([[], 1]);
    });
  });

  describe('an iterator of its own hides nothing', () => {
    const nothing = { value: () => [][Symbol.iterator](), configurable: true };
    const hide = <T extends object>(collection: T): T =>
      Object.defineProperties(collection, {
        [Symbol.iterator]: nothing,
        entries: { ...nothing, enumerable: false },
        values: nothing,
        forEach: { value: () => {}, configurable: true },
      });

    test.each<[string, object]>([
      ['a Map', new Map([['a', 1]])],
      ['a Set', new Set([1, 2])],
      ['a Headers', new Headers({ a: 'b' })],
      ['a URLSearchParams', new URLSearchParams('a=1&a=2')],
    ])('of %s', (_name, collection) => {
      const copy = roundTrip(form, hide(collection)) as Map<unknown, unknown>;
      const arrived: unknown[] = [];
      copy.forEach((value, key) => void arrived.push(key, value));
      expect(arrived).toEqual(
        { Map: ['a', 1], Set: [1, 1, 2, 2], Headers: ['a', 'b'] }[copy.constructor.name] ?? ['a', '1', 'a', '2'],
      );
    });

    test('of a list', () => {
      const list = Object.defineProperty([1, ['x'], 3], Symbol.iterator, nothing);
      expect(roundTrip(form, list)).toEqual([1, ['x'], 3]);
    });

    test('of a class of lists', () => {
      class Quiet extends Array<unknown> {
        override [Symbol.iterator]() {
          return [].values();
        }
      }
      expect(roundTrip(form, Quiet.of(1, 2))).toStrictEqual([1, 2]);
    });
  });

  test('methods of its own mislead nobody about a class of lists', () => {
    class Odd extends Array<unknown> {
      override includes(): boolean {
        return true;
      }
      override reduce(): never {
        throw new Error('another method of this name');
      }
    }
    expect(roundTrip(form, Odd.of(1, undefined))).toStrictEqual([1, undefined]);
  });

  test('instances of a registered class of lists arrive as such, also with holes', () => {
    class Path extends Array<number> {}
    register(Path, {
      name: `Path in ${form.name}`,
      encode: (path) => ({ points: [...path] }),
      decode: (payload) => Path.from((payload as { points: number[] }).points),
    });
    const [copy, sparse] = roundTrip(form, [Path.of(1, 2), Object.assign(new Path(), { 1: 1 })]) as [Path, Path];
    expect([copy, sparse]).toStrictEqual([Path.of(1, 2), Path.of(undefined as never, 1)]);
  });

  test.each([
    ['dense', [1, undefined]],
    ['sparse', [1, , 2]],
  ])('a list without a prototype arrives as a list: %s', (_kind, list) => {
    expect(roundTrip(form, Object.setPrototypeOf([...list], null))).toStrictEqual([...list]);
    expect(roundTrip(form, Object.setPrototypeOf(list.slice(), null))).toStrictEqual(list);
  });

  test.runIf('rawJSON' in JSON)('a text that JSON keeps as it is arrives as the object that holds it', () => {
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };
    expect(roundTrip(form, [rawJSON('1')])).toEqual([{ rawJSON: '1' }]);
  });

  test('decoding shares no memory with the encoding', () => {
    const encoding = form.write({ bytes: new Uint8Array([1, 2, 3]), text: 'abc' });
    const copy = form.read(encoding) as { bytes: Uint8Array };
    if (encoding instanceof Uint8Array) encoding.fill(0);
    expect([...copy.bytes]).toEqual([1, 2, 3]);
  });
});

test('a text that was formatted for people is read like the one that was written', () => {
  const value = { at: new Date(0), list: [undefined, 7n], $Map: 1 };
  const tree = JSON.parse(stringify(value));
  for (const text of [JSON.stringify(tree, null, 2), ` ${JSON.stringify(tree)}`]) {
    expect(parse(text)).toStrictEqual(value);
  }
  expect(parse('{\n "$": { "$Map": [] }, "b": 1 }')).toEqual({ $: { $Map: [] }, b: 1 });
});
