import { CloneError } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { FORMS, roundTrip } from './forms.ts';
import { sameGraph } from './graph/same-graph.ts';

/** Values that a property failed for once, in the smallest form that fast-check found. */
const FOUND: readonly [name: string, make: () => unknown][] = [
  // The whole of its buffer came along, which nothing else in the value used.
  [
    'a lone view beside two views of another buffer',
    () => [new Uint8Array(new ArrayBuffer(100), 10, 3), ...twoViews()],
  ],
  [
    'a lone view in an object beside a shared buffer',
    () => ({ a: new DataView(new ArrayBuffer(9), 1), b: twoViews() }),
  ],
  ['an exception of the platform', () => new DOMException('it was stopped', 'AbortError')],
  ['a URL', () => new URL('http://a.aa')],
  ['-0 in a list of numbers', () => [...new Array(40).fill(1), -0]],
  [
    'keys that are, one behind the other, the same',
    () => [
      { a: 1, ab: 2 },
      { aa: 1, b: 2 },
      { aab: 1, '': 2 },
    ],
  ],
  ['an object like another, but for its prototype', () => [{ a: 1 }, Object.assign(Object.create(null), { a: 1 })]],
];

function twoViews(): Uint8Array[] {
  const shared = new ArrayBuffer(8);
  return [new Uint8Array(shared, 2), new Uint8Array(shared, 0, 4)];
}

/** Where something that cannot be sent was not found, or its path was wrong. */
const HIDDEN: readonly [path: string, hide: (secret: symbol) => unknown][] = [
  ['value.errors[0]', (secret) => new AggregateError([secret])],
  ['value.errors[1].a', (secret) => new AggregateError([0, { a: secret }])],
  ['value["a b"]', (secret) => Object.assign([], { 'a b': secret })],
  ['value[""].a', (secret) => Object.assign([], { '': { a: secret } })],
  ['value[2].values()[0]', (secret) => [0, , new Set([secret])]],
];

describe.each(FORMS)('as $name', (form) => {
  test.each(FOUND)('%s arrives as it left', (_name, make) => {
    expect(sameGraph(make(), roundTrip(form, make()))).toBeUndefined();
  });

  test.each(HIDDEN)('what is hidden at %s is found there', (path, hide) => {
    const thrown = attempt(() => form.write(hide(Symbol('secret'))));
    expect(thrown).toBeInstanceOf(CloneError);
    expect(thrown).toMatchObject({ code: 'NOT_CLONEABLE', path });
  });
});
