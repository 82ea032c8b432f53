import { CloneError, parse } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { memoryTaken } from './memory.ts';

/** For the error that is thrown, and what the engine notes about code that it runs. */
const NOTHING_TO_SPEAK_OF = 100_000;

/** Little input that claims to be much, with the defect elsewhere that it comes from. */
const TEXTS: readonly [origin: string, text: string][] = [
  ['@ungap/structured-clone: ["Uint8Array", 1000000000]', '{"$Uint8Array":[1000000000]}'],
  ['a sparse array', '{"$Array":[1000000000]}'],
  ['a sparse array of the largest length', '{"$Array":[4294967295]}'],
  ['a sparse array of no length', '{"$Array":[1e308]}'],
  ['a sparse array with one item at the end', '{"$Array":[1000000000,"999999999",0]}'],
  ['the length of a view', '{"$Uint8Array":[{"$ArrayBuffer":[{"$bytes":""}]},0,1000000000]}'],
  ['the growth of a buffer', '{"$ArrayBuffer":[{"$bytes":""},1099511627776]}'],
  ['bytes behind the text', '{"$Uint8Array":[{"$bytes":1000000000}]}'],
  ['properties of an error', '{"$Error":[1000000000]}'],
];

describe('text that claims', () => {
  test.each(TEXTS)('%s is refused and takes no memory for it', (_origin, text) => {
    const marked = `{"$":${text}}`;
    expectRefused(() => parse(marked));
    expect(memoryTaken(() => parse(marked))).toBeLessThan(NOTHING_TO_SPEAK_OF);
  });

  // Each takes a page of memory and two mappings. A process may have 65,530 mappings, and crashes without more.
  test('more buffers to be resizable than a process can hold are refused', () => {
    const buffer = '{"$ArrayBuffer":[{"$bytes":"AA=="},1073741824]}';
    expectRefused(() => parse(`{"$":[${new Array(20_000).fill(buffer)}]}`));
  });

  test('a million-digit bigint is refused before it is read', () => {
    const text = `{"$":{"$bigint":"${'9'.repeat(1_000_000)}"}}`;
    expectRefused(() => parse(text));
    // Mostly what JSON.parse makes of it.
    expect(memoryTaken(() => parse(text))).toBeLessThan(5 * text.length);
  });
});

function expectRefused(run: () => unknown): void {
  expect(attempt(run)).toBeInstanceOf(CloneError);
}
