import { describe, expect, test } from 'vitest';
import { FORMS } from './forms.ts';
import { sameGraph } from './graph/same-graph.ts';
import { polluted } from './polluted.ts';

let called = 0;

function toJSON(): unknown {
  called++;
  return 'replaced';
}

function hidden<T extends object>(object: T, descriptor: PropertyDescriptor = { value: toJSON }): T {
  return Object.defineProperty(object, 'toJSON', descriptor);
}

const GETTER = {
  get() {
    called++;
    return toJSON;
  },
};

/** Places of an object or array in a value, in values that JSON can represent and in others. */
const PLACES: Readonly<Record<string, (object: object) => unknown>> = {
  'the value itself': (object) => object,
  'an array': (object) => [1, object, 2],
  'a field': (object) => ({ a: { b: object } }),
  'beside a mark': (object) => [undefined, object],
  'a field beside a mark': (object) => ({ a: object, b: 1n, c: { d: object } }),
  'a Map': (object) => new Map([['a', object]]),
  'a cause': (object) => new Error('x', { cause: object }),
};

/** Objects that JSON takes for another value. `make` makes one, `plain` the same without that. */
const OBJECTS: Readonly<Record<string, readonly [make: () => object, plain: () => object]>> = {
  'a hidden method of an object': [() => hidden({ a: 1 }), () => ({ a: 1 })],
  'a hidden method of an array': [() => hidden([1]), () => [1]],
  'a hidden method of an object without prototype': [
    () => hidden(Object.assign(Object.create(null), { a: 1 })),
    () => Object.assign(Object.create(null), { a: 1 }),
  ],
  'a hidden accessor of an object': [() => hidden({ a: 1 }, GETTER), () => ({ a: 1 })],
  'a hidden accessor of an array': [() => hidden(['x'], GETTER), () => ['x']],
  'a method that a Proxy of an object invents': [() => inventing({ a: 1 }), () => ({ a: 1 })],
  'a method that a Proxy of an array invents': [() => inventing([1, 'x']), () => [1, 'x']],
  'a method that a Proxy invents the second time': [() => inventing({ a: 1 }, 1), () => ({ a: 1 })],
};

function inventing<T extends object>(target: T, from = 0): T {
  let asked = 0;
  return new Proxy(target, {
    get: (object, key, receiver) => (key === 'toJSON' && asked++ >= from ? toJSON : Reflect.get(object, key, receiver)),
  });
}

/** Prototypes that a page may have given the method. Prototype.js gives it to arrays. */
const PROTOTYPES = { 'Array.prototype': Array.prototype, 'Object.prototype': Object.prototype };

const VALUES: Readonly<Record<string, () => unknown>> = {
  'an array': () => [1, [2, ['x']], []],
  'an object': () => ({ a: { b: [{}] }, $: 1 }),
  'what looks like a mark': () => ({ $: { $undefined: 0 } }),
  'keys of the language': () => JSON.parse('{"__proto__": [1], "toJSON": {"a": [1]}, "7": ["x"]}'),
  marks: () => [undefined, 1n, { a: -0 }, new Map([[[1], { b: [2] }]]), new Date(0)],
  bytes: () => [new Uint8Array([1, 2]), { a: [1] }],
  'an error': () => Object.assign(new Error('x', { cause: [1] }), { code: ['E'] }),
  'an array twice': () => {
    const twice = [1];
    return { twice, again: twice };
  },
  'a sparse array': () => Object.assign(new Array(3), { 1: ['x'] }),
  text: () => 'text',
  nothing: () => null,
};

describe.each(FORMS)('as $name', (form) => {
  describe.each(Object.entries(OBJECTS))('%s', (_object, [make, plain]) => {
    test.each(Object.entries(PLACES))('is neither called nor sent in %s', (_place, put) => {
      called = 0;
      const one = make();
      const other = plain();
      const copy = form.read(form.write(put(one)));
      expect(called).toBe(0);
      expect(sameGraph(put(other), copy)).toBeUndefined();
    });
  });

  describe.each(Object.entries(PROTOTYPES))('a method toJSON of %s', (_name, prototype) => {
    describe.each([[true], [false]])('that is enumerable: %s', (enumerable) => {
      test.each(Object.entries(VALUES))('is not called, and %s arrives', (_value, make) => {
        called = 0;
        const value = make();
        const encoding = form.write(value);
        const [again, copy] = polluted(
          { toJSON: { value: toJSON, enumerable } },
          () => {
            const again = form.write(value);
            return [again, form.read(again)];
          },
          prototype,
        );
        expect(called).toBe(0);
        expect(again).toEqual(encoding);
        expect(sameGraph(make(), copy)).toBeUndefined();
      });
    });
  });

  test('a method toJSON of BigInt is not called', () => {
    called = 0;
    const copy = polluted({ toJSON: { value: toJSON } }, () => form.read(form.write([1n])), BigInt.prototype);
    expect(copy).toEqual([1n]);
    expect(called).toBe(0);
  });

  test.each([[1], [Symbol('x')], ['text'], [() => 1]])(
    'an enumerable toJSON that is %s is a field like others',
    (value) => {
      const own = { toJSON: value };
      const refusal = (key: string) => {
        try {
          return form.read(form.write({ [key]: value }));
        } catch (error) {
          return (error as Error).message.replaceAll(key, 'key');
        }
      };
      expect(refusal('toJSON')).toEqual(
        typeof value === 'number' || typeof value === 'string' ? own : refusal('other'),
      );
    },
  );
});

describe.each(FORMS)('as $name, each property is read once:', (form) => {
  /** Makes objects whose properties count how often they are read, and differ each time. */
  function counted() {
    const reads = new Map<string, number>();
    const read = (key: string, value: unknown) => {
      reads.set(key, (reads.get(key) ?? 0) + 1);
      // The second time, what JSON would make text of, or leave out.
      return reads.get(key)! > 1 ? new Date(0) : value;
    };
    return { reads, read };
  }

  const BESIDE: Readonly<Record<string, readonly unknown[]>> = {
    data: [1, 'x'],
    marks: [undefined, new Date(0), 1n],
    'a value met twice': (() => {
      const twice = {};
      return [twice, twice];
    })(),
  };

  test.each(Object.entries(BESIDE))('of an object beside %s', (_name, beside) => {
    const { reads, read } = counted();
    const object = {
      get text() {
        return read('text', 'x');
      },
      get object() {
        return read('object', { a: 1 });
      },
      get list() {
        return read('list', [1, [2]]);
      },
      get nothing() {
        return read('nothing', undefined);
      },
    };
    Object.defineProperty(object, 'hidden', { get: () => read('hidden', 1) });
    for (const value of [[object, ...beside], { ...beside, object }]) {
      reads.clear();
      const copy = form.read(form.write(value)) as { object?: unknown } & unknown[];
      expect(copy.object ?? copy[0]).toEqual({ text: 'x', object: { a: 1 }, list: [1, [2]], nothing: undefined });
      expect(Object.fromEntries(reads)).toEqual({ text: 1, object: 1, list: 1, nothing: 1 });
    }
  });

  test('of an object whose keys are indices', () => {
    const { reads, read } = counted();
    const object = Object.defineProperties(
      {},
      {
        7: { get: () => read('7', 'x'), enumerable: true },
        name: { get: () => read('name', [1]), enumerable: true },
      },
    );
    expect(form.read(form.write([object]))).toEqual([{ 7: 'x', name: [1] }]);
    expect(Object.fromEntries(reads)).toEqual({ 7: 1, name: 1 });
  });

  test('of an array', () => {
    const { reads, read } = counted();
    const array = Object.defineProperty([0, 1], 1, { get: () => read('1', 'x'), enumerable: true });
    expect(form.read(form.write({ array }))).toEqual({ array: [0, 'x'] });
    expect(form.read(form.write([array, undefined]))).toEqual([[0, new Date(0)], undefined]);
    expect(Object.fromEntries(reads)).toEqual({ 1: 2 });
  });

  test('of an object without prototype', () => {
    const { reads, read } = counted();
    const object = Object.create(null, { a: { get: () => read('a', 'x'), enumerable: true } });
    expect(form.read(form.write(object))).toEqual(Object.assign(Object.create(null), { a: 'x' }));
    expect(Object.fromEntries(reads)).toEqual({ a: 1 });
  });

  test('of an error', () => {
    const { reads, read } = counted();
    const error = new Error();
    for (const [key, value] of Object.entries({ message: 'x', cause: { a: 1 }, code: 'E' })) {
      Object.defineProperty(error, key, {
        get: () => read(key, value),
        enumerable: key === 'code',
        configurable: true,
      });
    }
    expect(form.read(form.write([error]))).toEqual([Object.assign(new Error('x', { cause: { a: 1 } }), { code: 'E' })]);
    expect(Object.fromEntries(reads)).toEqual({ message: 1, cause: 1, code: 1 });
  });

  test('of a Proxy', () => {
    const reads: PropertyKey[] = [];
    const watched = <T extends object>(target: T) =>
      new Proxy(target, {
        get(object, key, receiver) {
          reads.push(key);
          return Reflect.get(object, key, receiver);
        },
      });
    const value = watched({ a: watched({ b: 1, c: 'x' }), list: watched([watched({ d: 1 })]) });
    expect(form.read(form.write(value))).toEqual({ a: { b: 1, c: 'x' }, list: [{ d: 1 }] });
    expect(reads.filter((key) => key !== 'length').sort()).toEqual(['0', 'a', 'b', 'c', 'd', 'list']);
  });
});
