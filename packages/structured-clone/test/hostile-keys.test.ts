import { type DecodeOptions, decode, encode, parse } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { FORMS } from './forms.ts';
import { watchPrototypes } from './fuzz/prototypes.ts';
import { objectsIn } from './graph/parts.ts';
import { sameGraph } from './graph/same-graph.ts';

/** Keys by which other libraries were led to prototypes, constructors and methods. */
const KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'then', 'toJSON', 'toString', 'valueOf', 'hasOwnProperty'],
  ...['__defineGetter__', '__defineSetter__', '__lookupGetter__', 'isPrototypeOf', 'inspect', 'get', 'set', 'value'],
  ...['length', 'name', 'message', 'stack', 'cause', 'errors', 'size', 'byteLength', 'buffer', 'lastIndex', 'source'],
];

/** Makes every place in which a key can stand, with something in it that would show on a prototype. */
const PLACES: Readonly<Record<string, (key: string) => unknown>> = {
  'an object': (key) => own({}, key),
  'an object without prototype': (key) => own(Object.create(null), key),
  'an object in an object of the same key': (key) => own({}, key, own({}, key)),
  // seroval CVE-2026-23737 and -59940: a path of keys, each of which leads on.
  'a path': () => own({}, 'constructor', own({}, 'prototype', own({}, 'polluted', true))),
  'a row like another': (key) => [own({}, key), own({}, key)],
  'a Map': (key) => new Map([[key, { polluted: true }]]),
  'a Set': (key) => new Set([key]),
  // Of an array, `length` is its own.
  'an array': (key) => (key === 'length' ? [] : own([], key)),
  'an error': (key) => own(new Error('x'), key, ['name', 'message', 'stack'].includes(key) ? 'text' : undefined),
  'a cause': (key) => new Error('x', { cause: own({}, key) }),
  'text itself': (key) => [key, new Map([['key', key]])],
};

function own(object: object, key: string, value: unknown = { polluted: true }): object {
  return Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}

describe.each(FORMS)('as $name', (form) => {
  // superjson CVE-2022-23631, devalue CVE-2025-57820, oRPC CVE-2026-28794, seroval CVE-2026-23736: prototype pollution.
  test.each(Object.entries(PLACES))('keys of the language in %s are data and nothing more', (_place, make) => {
    const changedPrototype = watchPrototypes();
    for (const key of KEYS) {
      const copy = form.read(form.write(make(key)));
      expect(sameGraph(make(key), copy), key).toBeUndefined();
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    }
    expect(changedPrototype()).toBeUndefined();
  });

  // What assigns a key runs a setter that a program, or an attack on it, has put on all objects; or fails where these are frozen.
  test('no setter of all objects runs, neither while writing nor while reading', () => {
    // The fields of types among them; Node's own classes assign some others themselves, such as `href`.
    const names = ['trap', 'source', 'flags', 'resizable', 'maxByteLength'];
    const called: string[] = [];
    const make = () => [
      { trap: 1, other: 2 },
      ...Array.from({ length: 200 }, (_, number) => ({ trap: number })),
      Object.assign(Object.create(null), { trap: 1 }),
      new Map([['trap', { trap: 1 }]]),
      own(new Error('x'), 'trap'),
      own([1], 'trap'),
      [/a/g, Object('a'), new ArrayBuffer(2), new Request('http://a.test/'), new DOMException('a', 'b')],
      JSON.parse('{"$trap": {"trap": 1}, "__proto__": {"trap": 2}}'),
    ];
    const [before, encoding] = [make(), form.write(make())];
    for (const name of names) {
      Object.defineProperty(Object.prototype, name, { set: () => void called.push(name), configurable: true });
    }
    try {
      const copies = [form.read(encoding), form.read(form.write(before))];
      expect(called).toEqual([]);
      for (const copy of copies) expect(sameGraph(before, copy)).toBeUndefined();
    } finally {
      for (const name of names) Reflect.deleteProperty(Object.prototype, name);
    }
  });

  test('keys of methods that all objects have arrive where none of these can be assigned', () => {
    const value = { toString: 'text', valueOf: 1, list: [{ constructor: 2 }] };
    const encoding = form.write(value);
    const descriptors = Object.getOwnPropertyDescriptors(Object.prototype);
    for (const name of ['toString', 'valueOf', 'constructor']) {
      Object.defineProperty(Object.prototype, name, { writable: false });
    }
    try {
      expect(sameGraph(value, form.read(encoding))).toBeUndefined();
      expect(sameGraph(value, form.read(form.write(value)))).toBeUndefined();
    } finally {
      for (const name of ['toString', 'valueOf', 'constructor'] as const) {
        Object.defineProperty(Object.prototype, name, descriptors[name]);
      }
    }
  });

  // React Flight CVE-2025-55182: a decoded object was awaited, which called the `then` it came with.
  test('an object that looks like a promise is neither called nor awaited', async () => {
    let called = 0;
    const options: DecodeOptions = { revive: () => () => called++ };
    const callable = () => 1;
    const thenable = own({}, 'then', callable);
    const value = [thenable, new Map([['then', callable]]), own(new Error('x', { cause: thenable }), 'then', callable)];
    const encoding = form.write(value, { extend: () => ({ name: 'one', parts: [0] }) });
    form.read(encoding, options);
    // Whoever awaits later than it was read would have been called by now.
    await new Promise((resolve) => setImmediate(resolve));
    expect(called).toBe(0);
  });

  // A function that came back from `revive` may be a stub: whoever calls it makes a call.
  test.each([
    ['toString'],
    ['valueOf'],
    ['toJSON'],
    ['constructor'],
    ['get'],
    ['set'],
    ['value'],
    ['enumerable'],
    ['lastIndex'],
    ['length'],
    ['resolve'],
  ])('a revived function under %s is data and is not called', (key) => {
    let called = 0;
    const options: DecodeOptions = { revive: () => () => called++ };
    const value = [
      own({}, key, () => 1),
      own([], key === 'length' ? 'size' : key, () => 1),
      own(new Error('x'), key, () => 1),
    ];
    const copy = form.read(form.write(value, { extend: () => ({ name: 'one', parts: [0] }) }), options) as object[];
    expect(called).toBe(0);
    expect(objectsIn(copy).size).toBeGreaterThan(3);
  });
});

describe('text of others', () => {
  const bomb = '{"polluted":true}';

  test.each(
    KEYS.flatMap((key) => [
      [`{"${key}":${bomb}}`],
      [`{"$":{"a":{"$undefined":0},"${key}":{"$Map":[]}}}`],
      [`{"$":{"$null":{"${key}":${bomb}}}}`],
      [`{"$":{"$":{"${key}":${bomb}}}}`],
      [`[{"${key}":${bomb}},{"${key}":${bomb}}]`],
      [`{"${key}":{"${key}":{"${key}":${bomb}}}}`],
    ]),
  )('%s changes no prototype', (text) => {
    const changedPrototype = watchPrototypes();
    const copy = parse(text);
    const prototypes = [Object.prototype, Array.prototype, Map.prototype, null];
    for (const object of objectsIn(copy)) expect(prototypes.includes(Object.getPrototypeOf(object))).toBe(true);
    expect(changedPrototype()).toBeUndefined();
    // And it is sent on as it came.
    expect(sameGraph(copy, decode(encode(copy)))).toBeUndefined();
  });
});
