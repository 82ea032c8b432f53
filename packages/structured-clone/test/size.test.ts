import { bundleForBrowser, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { describe, expect, test } from 'vitest';

/** What a page that uses only these has to load, from the sources. */
function bundled(names: string, entry = ''): Promise<Uint8Array> {
  return bundleForBrowser(`export { ${names} } from '@lumenize/structured-clone${entry}'`, ['@lumenize/source']);
}

// All types are in each. Larger ones than these are a decision, not an accident.
test.each([
  ['encode', 6250],
  ['decode', 5250],
  ['encode, decode', 10_050],
  ['stringify, parse', 7450],
  // A type is one row for both directions, so each alone has all rows.
  ['stringify', 6300],
  ['parse', 5250],
])('{ %s } takes at most %i bytes', async (names, budget) => {
  expect(gzipBytes(await bundled(names))).toBeLessThanOrEqual(budget);
});

test('messages with all types take at most 7500 bytes, and a client of the types of the language no more than 5300', async () => {
  expect(gzipBytes(await bundled('encode, decode', '/messages'))).toBeLessThanOrEqual(7500);
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
  expect(gzipBytes(code)).toBeLessThanOrEqual(5300);
  const absent = ['DOMException', 'Temporal', 'atob', 'pass a copy'];
  expect(absent.filter((part) => new TextDecoder().decode(code).includes(part))).toEqual([]);
});

describe('whoever uses only', () => {
  test.each([
    ['parse', ['JSON.stringify', 'TextDecoder', 'setFloat64', 'arrayBuffer()']],
    ['stringify', ['JSON.parse', 'TextDecoder', 'setFloat64', 'arrayBuffer()']],
    ['decode', ['JSON.', 'TextEncoder', 'setFloat64', 'readBodies']],
    ['encode', ['JSON.parse', 'TextDecoder', 'getFloat64']],
  ])('%s loads nothing of the others', async (name, absent) => {
    const code = new TextDecoder().decode(await bundled(name));
    expect(absent.filter((part) => code.includes(part))).toEqual([]);
  });
});
