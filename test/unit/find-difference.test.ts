import { describe, expect, it, test, vi } from 'vitest';
import { findDifference, findDifferences } from '../../tools/difference/find-difference.ts';

const shared = { a: 1 };
const withProperty = <T extends object>(object: T, properties: object): T => Object.assign(object, properties);
const cycle = () => {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
};
const hidden = (value: unknown) => Object.defineProperty({}, 'a', { value, enumerable: false });
const onBuffer = (bytes: number, offset: number, length: number) =>
  new Uint8Array(new ArrayBuffer(bytes), offset, length);

/** Values of which each differs from all others. */
const DIFFERENT: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  null: null,
  '0': 0,
  '-0': -0,
  NaN: Number.NaN,
  bigint: 0n,
  'empty text': '',
  'lone surrogate': '\ud800',
  'replacement character': '\ufffd',
  'boxed number': new Number(0),
  'boxed bigint': Object(0n),
  'empty object': {},
  'null prototype': Object.create(null),
  'undefined property': { a: undefined },
  'hidden property': hidden(undefined),
  'two properties': { a: 1, b: 2 },
  'two properties, other order': { b: 2, a: 1 },
  'symbol property': { [Symbol.for('a')]: 1 },
  'empty array': [],
  hole: [,],
  'undefined item': [undefined],
  'named property': withProperty([], { a: 1 }),
  date: new Date(0),
  'invalid date': new Date(Number.NaN),
  'date with a property': withProperty(new Date(0), { a: 1 }),
  regexp: /a/g,
  'other flags': /a/i,
  lastIndex: withProperty(/a/g, { lastIndex: 1 }),
  map: new Map([['a', 1]]),
  'other key': new Map([['b', 1]]),
  'other order': new Map<string, number>([
    ['b', 1],
    ['a', 1],
  ]),
  set: new Set(['a']),
  'one object twice': [shared, shared],
  'two objects alike': [{ a: 1 }, { a: 1 }],
  cycle: cycle(),
  'error class': new RangeError('a'),
  'other error class': new TypeError('a'),
  'error with a cause': new TypeError('a', { cause: 1 }),
  'own name': withProperty(new TypeError('a'), { name: 'Other' }),
  buffer: new ArrayBuffer(8),
  'resizable buffer': new ArrayBuffer(8, { maxByteLength: 16 }),
  bytes: new Uint8Array(8),
  'other bytes': Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1),
  'signed bytes': new Int8Array(8),
  view: new DataView(new ArrayBuffer(8)),
  'view at an offset': onBuffer(16, 8, 8),
  'view that tracks': new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 })),
  'view that does not': new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 }), 0, 8),
  url: new URL('http://a/b'),
  'other url': new URL('http://a/c'),
  'url search': new URLSearchParams('a=1'),
  headers: new Headers({ a: '1' }),
  'other headers': new Headers({ a: '2' }),
  'dom exception': new DOMException('a', 'AbortError'),
  'other dom exception': new DOMException('a', 'TimeoutError'),
};

describe('findDifference', () => {
  const names = Object.keys(DIFFERENT);

  it.each(names)('finds none between a value and itself: %s', (name) => {
    expect(findDifference(DIFFERENT[name], DIFFERENT[name])).toBeUndefined();
  });

  it.each(names)('tells it from every other: %s', (name) => {
    const alike = names.filter((other) => other !== name && !findDifference(DIFFERENT[other], DIFFERENT[name]));
    expect(alike).toEqual([]);
  });

  it('finds none between a deep value and its clone', () => {
    const value = () => {
      const rows = [{ id: 1, at: new Date(5), tags: new Set(['a']) }, new Map([[{}, [1, , 3]]])];
      return { rows, first: rows[0], bytes: onBuffer(16, 8, 4), error: new Error('a', { cause: rows }) };
    };
    expect(findDifference(structuredClone(value()), value())).toBeUndefined();
  });

  it('says where it is, what was expected and what there is', () => {
    const difference = findDifference({ rows: [{ at: 'today' }] }, { rows: [{ at: new Date(0) }] });
    expect(difference).toEqual({ path: '$.rows[0].at', expected: 'Date', actual: '"today"' });
  });

  it('does not mind where an error was made', () => {
    const made = () => new Error('a');
    expect(findDifference(made(), new Error('a'))).toBeUndefined();
  });

  it('finds out what only looks like an instance', () => {
    expect(findDifference(Object.create(Date.prototype), new Date(0))?.actual).toBe('not really a Date');
  });

  it('looks at what views show and no further, where that is asked for', () => {
    const shown = { views: 'shown' } as const;
    expect(findDifference(onBuffer(16, 8, 2), new Uint8Array(2), shown)).toBeUndefined();
    expect(findDifference(Uint8Array.of(1, 3), Uint8Array.of(1, 2), shown)?.actual).toBe('other bytes');
    expect(findDifference(new Int8Array(2), new Uint8Array(2), shown)?.actual).toBe('Int8Array(2 B)');
  });

  it('takes a Buffer for bytes, where that is asked for', () => {
    const bytes = Uint8Array.of(1, 2);
    const buffer = Buffer.from([1, 2]);
    expect(findDifference(buffer, bytes, { views: 'shown', anyBytes: true })).toBeUndefined();
    expect(findDifference(buffer, bytes, { views: 'shown' })?.actual).toBe('Buffer(2 B)');
    expect(findDifference(bytes, buffer, { views: 'shown', anyBytes: true })?.actual).toBe('Uint8Array(2 B)');
  });

  it('does not mind the order of properties that are not enumerable', () => {
    const named = (keys: string[]) =>
      keys.reduce((object, key) => Object.defineProperty(object, key, { value: 1, enumerable: false }), {});
    expect(findDifference(named(['a', 'b']), named(['b', 'a']))).toBeUndefined();
  });
});

it('finds all differences up to a number, each where it is', () => {
  const was = { a: -0, b: new Map([['k', 1]]), c: undefined, d: [1, 2] };
  const is = { a: 0, b: {}, d: [1, 3] };
  const paths = (most: number) => findDifferences(is, was, {}, most).map(({ path }) => path);
  expect(paths(9)).toEqual(['$.c', '$.a', '$.b', '$.d[1]']);
  expect(paths(2)).toEqual(['$.c', '$.a']);
});

test.each([
  ['Firefox', ['fileName', 'lineNumber', 'columnNumber']],
  ['WebKit', ['line', 'column', 'sourceURL']],
])('does not count where an error was made, as %s says in hidden properties', (_browser, names) => {
  const NativeError = Error;
  vi.stubGlobal(
    'Error',
    class extends NativeError {
      constructor(message?: string) {
        super(message);
        for (const name of names) Object.defineProperty(this, name, { value: Math.random(), configurable: true });
      }
    },
  );
  try {
    expect(findDifference(new Error('text'), new Error('text'))).toBe(undefined);
    // What a program has put there is its own.
    const [one, other] = [1, 2].map((value) =>
      Object.defineProperty(new Error('text'), names[0], { value, enumerable: true }),
    );
    expect(findDifference(one, other)?.path).toBe(`$.${names[0]}`);
  } finally {
    vi.unstubAllGlobals();
  }
});
