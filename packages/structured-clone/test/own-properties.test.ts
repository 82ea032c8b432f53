import { encode } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { FORMS } from './forms.ts';
import { sameGraph } from './graph/same-graph.ts';
import { assigned, polluted } from './polluted.ts';

/** Values of all kinds, with and without marks, and with what looks like a mark. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  'an empty object': () => ({}),
  'one field': () => ({ a: 1 }),
  rows: () => [{ id: 1, name: 'Ada' }, { id: 2, name: 'Bob', tags: ['x'] }, []],
  'keys that are indices': () => ({ 7: 'x', 1000: { 0: 'y' }, name: 'z' }),
  'what looks like a mark': () => [{ $: 1 }, { $undefined: 0 }, { $reference: 0 }, { $x: { $: 1 } }],
  undefined: () => undefined,
  numbers: () => [Number.NaN, -0, Number.POSITIVE_INFINITY, { at: -0 }],
  bigints: () => [1n, { big: 12n }],
  'an object without prototype': () => Object.assign(Object.create(null), { a: 1, b: undefined }),
  'the key __proto__': () => JSON.parse('{"__proto__": {"a": 1}, "b": {"__proto__": 2}}'),
  'an object twice': () => {
    const twice = { a: 1 };
    return [twice, twice, { twice }];
  },
  'a cycle': () => {
    const cycle: Record<string, unknown> = {};
    return Object.assign(cycle, { cycle });
  },
  'classes of the language': () => [new Map([['a', { b: 1 }]]), new Set([{}]), new Date(0), /x/g, Object('text')],
  bytes: () => ({ bytes: new Uint8Array([1, 2]), buffer: new ArrayBuffer(2), beside: undefined }),
  'views of a buffer': () => {
    const buffer = new ArrayBuffer(8);
    return [new Uint8Array(buffer, 1, 2), new DataView(buffer), { buffer }];
  },
  errors: () => Object.assign(new RangeError('x', { cause: { a: undefined } }), { code: 'E', data: {} }),
  'a sparse array': () => Object.assign(new Array(3), { 1: {}, named: 1 }),
  'classes of the web': () => [new URL('http://a.test/'), new Headers({ a: 'b' }), new DOMException('a', 'b')],
  'a request': () => new Request('http://a.test/', { headers: { a: 'b' } }),
};

/** What a page or a Worker may have put on all objects. */
const POLLUTIONS: Readonly<Record<string, PropertyDescriptorMap>> = {
  'a function': { polluted: assigned(() => 'called') },
  data: { polluted: assigned('text'), more: assigned({ a: { b: 1 } }), none: assigned(undefined) },
  'an accessor': { polluted: { get: () => ({ a: 1 }), enumerable: true } },
  'an accessor that throws': {
    polluted: {
      get() {
        throw new Error('it was read');
      },
      enumerable: true,
    },
  },
  'what looks like a mark': { $: assigned(() => 1), $undefined: assigned(0), $x: assigned([]) },
  'an index': { 0: assigned('zero'), 7: assigned(() => 1) },
  'names of options': {
    ...{ extend: assigned(() => ({ name: 'x', parts: [] })), revive: assigned(() => 'revived') },
    ...{ bodies: assigned(new Map()), errorStacks: assigned(true), refuse: assigned(['Map', 'Error']) },
  },
  'names of fields': { type: assigned('x'), source: assigned('x'), take: assigned(() => 1), fits: assigned(() => 1) },
  'names of errors': { cause: assigned('x'), errors: assigned([1]), suppressed: assigned(1), error: assigned(2) },
};

describe.each(FORMS)('as $name', (form) => {
  describe.each(Object.entries(POLLUTIONS))('with %s on all objects', (_pollution, properties) => {
    test.each(Object.entries(VALUES))('%s is written as before, and arrives', (_name, make) => {
      const value = make();
      const encoding = form.write(value);
      const [again, copy, read] = polluted(properties, () => {
        const again = form.write(value);
        return [again, form.read(again), form.read(encoding)];
      });
      expect(again).toEqual(encoding);
      expect(sameGraph(make(), copy)).toBeUndefined();
      expect(sameGraph(make(), read)).toBeUndefined();
    });

    test('what cannot be cloned is refused as before', () => {
      for (const value of [() => 1, { a: [Symbol('x')] }, new (class Point {})()]) {
        const message = (run: () => unknown) => {
          try {
            return run();
          } catch (error) {
            return (error as Error).message;
          }
        };
        const before = message(() => form.write(value));
        expect(polluted(properties, () => message(() => form.write(value)))).toBe(before);
      }
    });
  });
});

test('a function that all objects inherit is not offered to an extension', () => {
  const offered: object[] = [];
  const inherited = () => 1;
  polluted({ polluted: assigned(inherited) }, () => {
    const extend = (value: object) => {
      offered.push(value);
      return { name: 'function', parts: [0] };
    };
    for (const make of Object.values(VALUES)) encode(make(), { extend, bodies: new Map() });
  });
  expect(offered).not.toContain(inherited);
});
