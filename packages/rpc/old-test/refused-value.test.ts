import { CloneError } from '@lumenize/structured-clone';
import { expect, test, vi } from 'vitest';
import { locateRefused } from '../src/server/server-context.ts';

const REFUSED = 'RegExp is not accepted here: the option refuse names it';
const locate = (entry: unknown) =>
  (locateRefused(new CloneError('NOT_CLONEABLE', REFUSED), JSON.stringify([1, entry]), 1) as Error).message;

test.each([
  ['is an object', { x: { $RegExp: [] } }],
  ['is no list of arguments', [0, 'a', { $RegExp: [] }]],
  ['has no method', [{ $RegExp: [] }]],
  ['holds marks without content', [0, 'a', [{ $undefined: null }, { $class: null }, { $Map: 5 }, { $RegExp: null }]]],
])('stays a refusal where the entry %s', (_what, content) => {
  expect(locate({ $: content })).toContain(REFUSED);
});

test('leaves other errors as they are', () => {
  const error = new RangeError('no');
  expect(locateRefused(error, 'no frame', 1)).toBe(error);
});

test('is found beside a long list or text, without a text for each of its places', () => {
  const long = new Array(16_384).fill(1);
  const keys = vi.spyOn(Object, 'keys');
  const entries = vi.spyOn(Object, 'entries');
  const message = locate({ $: [0, 'a', [long, { $Set: long }, { $undefined: 'x'.repeat(16_384) }, { $RegExp: [] }]] });
  const listed = [...keys.mock.results, ...entries.mock.results].map(({ value }) => value as unknown[]);
  const texts = listed.reduce((sum, { length }) => sum + length, 0);
  vi.restoreAllMocks();
  expect(message).toContain('a(): at argument 3: ');
  expect(texts).toBeLessThan(100);
});
