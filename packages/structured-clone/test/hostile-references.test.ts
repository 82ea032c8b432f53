import { CloneError, parse, stringify } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';

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
  test.each(TEXTS)('%s is refused', (_origin, text) => {
    for (const revive of [undefined, () => ({})]) expectRefused(() => parse(`{"$":${text}}`, { revive }));
  });

  test.each([
    ['Map', '[0,{"$reference":0}]'],
    ['Set', '[{"$reference":0}]'],
    ['Error', '[1,"cause",{"$reference":0}]'],
    ['AggregateError', '[1,"cause",{"$reference":0}]'],
  ])('to a %s from within itself is a cycle like any other', (name, parts) => {
    const value = parse(`{"$":{"$${name}":${parts}}}`);
    const inner = value instanceof Error ? value.cause : [...(value as Map<number, unknown>).values()][0];
    expect(inner).toBe(value);
    // And it can be sent on.
    parse(stringify(value));
  });
});

function expectRefused(run: () => unknown): void {
  expect(attempt(run)).toBeInstanceOf(CloneError);
}
