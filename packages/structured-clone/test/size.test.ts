import { bundleForBrowser, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { describe, expect, test } from 'vitest';

/** What a page that uses only these has to load, from the sources. */
function bundled(names: string): Promise<Uint8Array> {
  return bundleForBrowser(`export { ${names} } from '@lumenize/structured-clone'`, ['@lumenize/source']);
}

// All types are in each. Larger ones than these are a decision, not an accident.
test.each([
  // Each is 2 % more than it was beside a binary form: what protocols carry by reference, and the bounds that frames need, were there.
  // Another 2 % keep out what prototypes add, and read each property once.
  ['encode, decode', 8090],
  ['stringify, parse', 7980],
  // A type is one row for both directions, so each alone has all rows.
  ['encode', 6810],
  ['decode', 5550],
  ['stringify', 6795],
  ['parse', 5485],
])('{ %s } takes at most %i bytes', async (names, budget) => {
  expect(gzipBytes(await bundled(names))).toBeLessThanOrEqual(budget);
});

test('messages with the types of the language alone take at most 5400 bytes', async () => {
  const client = `
    import { common, createTypes, fromMessage, readText, textOf, toMessage } from '@lumenize/structured-clone/messages';
    const types = createTypes(common);
    export function encode(value) {
      const tail = [];
      return toMessage(textOf(value, { types, tail }), tail);
    }
    export function decode(message) {
      const { text, tail } = fromMessage(message);
      return readText(text, { types, tail });
    }`;
  const code = await bundleForBrowser(client, ['@lumenize/source']);
  expect(gzipBytes(code)).toBeLessThanOrEqual(5400);
  const absent = ['DOMException', 'Temporal', 'atob', 'pass a copy'];
  expect(absent.filter((part) => new TextDecoder().decode(code).includes(part))).toEqual([]);
});

describe('whoever uses only', () => {
  test.each([
    ['parse', ['JSON.stringify', 'TextDecoder', 'arrayBuffer()']],
    ['stringify', ['JSON.parse', 'TextDecoder', 'arrayBuffer()']],
    ['decode', ['JSON.stringify', 'atob', 'arrayBuffer()']],
    ['encode', ['JSON.parse', 'TextDecoder', 'btoa', 'arrayBuffer()']],
  ])('%s loads nothing of the others', async (name, absent) => {
    const code = new TextDecoder().decode(await bundled(name));
    expect(absent.filter((part) => code.includes(part))).toEqual([]);
  });
});
