import { CloneError, decode, encode, parse, stringify } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import * as tags from '../src/binary/tags.ts';
import { TYPE_NAMES, type TypeName, VIEW } from '../src/binary/types/type-names.ts';
import { attempt } from './attempt.ts';
import * as f from './forge.ts';
import { TEXT } from './forms.ts';

const RECORDS = TYPE_NAMES.slice(VIEW);
const NO_BUFFERS = ['a Map', 'an array', 'a Date', 'a string', 'a number'] as const;
const OF_KIND: Readonly<Record<(typeof NO_BUFFERS)[number], number[]>> = {
  'a Map': [...f.type('Map'), 0],
  'an array': f.array(0),
  'a Date': [...f.type('Date'), 0],
  'a string': f.string(3),
  'a number': f.integer(8),
};

const BYTES: readonly [origin: string, bytes: Uint8Array][] = [
  ['seroval CVE-2026-24006: to nothing', f.forge([f.reference(0)])],
  ['to what comes later', f.forge([f.array(2), f.reference(1), f.EMPTY_OBJECT])],
  ['one beyond the last object', f.forge([f.array(1), f.reference(1)])],
  ['far beyond the last object', f.forge([f.array(1), f.reference(Number.MAX_SAFE_INTEGER)])],
  ['to an object of the value before', f.forge([f.EMPTY_OBJECT, f.reference(0)])],
  ['to a shape that is not there', f.forge([f.tag(tags.OBJECT, 1), 0])],
  ['to a string that is not there', f.forge([f.array(2), f.string(3), f.tag(tags.STRING_AGAIN, 1)], 'abc')],
  ['to a string too short for the table', f.forge([f.array(2), f.string(2), f.tag(tags.STRING_AGAIN, 0)], 'ab')],
  ['to a string, as if it were an object', f.forge([f.array(2), f.string(3), f.reference(1)], 'abc')],
  ['to a shape from before all was forgotten', f.forge([f.EMPTY_OBJECT, tags.RESET, f.tag(tags.OBJECT, 1)])],
  ...NO_BUFFERS.map((name): [string, Uint8Array] => [
    `devalue CVE-2025-57820: to ${name}, for the buffer of a view`,
    f.forge([f.array(2), OF_KIND[name], f.type('View'), 1, f.reference(1), 0, 0], name === 'a string' ? 'abc' : ''),
  ]),
  ...RECORDS.map((name): [string, Uint8Array] => [
    `to the ${name} that is being made`,
    f.forge([f.type(name), f.reference(0), f.reference(0), f.reference(0), f.reference(0), f.reference(0)]),
  ]),
  ['to the extension that is being made', f.forge([f.special(tags.EXTENSION), 0, f.array(1), f.reference(0)])],
  // devalue and seroval took what was referred to for the handler that would read it.
  ['to an object, for a key', f.forge([f.array(2), f.EMPTY_OBJECT, f.type('Error'), 3, 0, f.reference(1), 0])],
  [
    'to an object, for the class of an extension',
    f.forge([f.array(2), f.EMPTY_OBJECT, f.special(tags.EXTENSION), f.reference(1), 0]),
  ],
];

const TEXTS: readonly [origin: string, text: string][] = [
  ['to nothing', '{"$reference":0}'],
  ['to what comes later', '[{"$reference":1},{}]'],
  ['before the first', '[{"$reference":-1}]'],
  ['between two', '[{},{"$reference":0.5}]'],
  ['by text', '[{},{"$reference":"0"}]'],
  ['by a list', '[{},{"$reference":[0]}]'],
  ['by a name that arrays have', '[{},{"$reference":"length"}]'],
  ['flatted CVE-2026-33228: by the name of the prototype', '[{},{"$reference":"__proto__"}]'],
  ['to the view that is being made', '{"$Uint8Array":[{"$reference":0},0,0]}'],
  ['to a Map, for the buffer of a view', '[{"$Map":[]},{"$Uint8Array":[{"$reference":1},0,0]}]'],
  ['to the extension that is being made', '{"$extension":[0,{"$reference":0}]}'],
  ['to the instance that is being made', '{"$class":["Registered",{"$reference":0}]}'],
  ['to a list, for the headers of a request', '[[],{"$Request":["http://a/","GET","follow",{"$reference":1},null]}]'],
  ['to an object, for a key', '[{},{"$Error":[0,{"$reference":1},0]}]'],
];

describe('a forged reference', () => {
  test.each(BYTES)('%s is refused', (_origin, bytes) => {
    for (const revive of [undefined, () => ({})]) expectRefused(() => decode(bytes, { revive }));
  });

  test.each(TEXTS)('%s is refused in text', (_origin, text) => {
    for (const revive of [undefined, () => ({})]) expectRefused(() => TEXT.read(`{"$":${text}}`, { revive }));
  });

  test('to each container from within itself is a cycle like any other', () => {
    const collections: TypeName[] = ['Map', 'Set', 'Error', 'AggregateError'];
    for (const name of collections) {
      const isError = name.endsWith('Error');
      const parts = isError
        ? [3, 1, ...f.string(5), ...f.reference(0)]
        : name === 'Map'
          ? [2, 0, ...f.reference(0)]
          : [1, ...f.reference(0)];
      const value = decode(f.forge([f.type(name), ...parts], isError ? 'cause' : ''));
      const inner = value instanceof Error ? value.cause : [...(value as Map<number, unknown>).values()][0];
      expect(inner, name).toBe(value);
      // And it can be sent on.
      decode(encode(value));
      parse(stringify(value));
    }
  });
});

function expectRefused(run: () => unknown): void {
  const thrown = attempt(run);
  expect(thrown).toBeInstanceOf(CloneError);
}
