import { bundleForBrowser, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { describe, expect, test } from 'vitest';

/** What a page that uses only these has to load, from the sources. */
function bundled(names: string, from = '@lumenize/structured-clone'): Promise<Uint8Array> {
  return bundleForBrowser(`export { ${names} } from '${from}'`, ['@lumenize/source']);
}

// Larger ones than these are a decision, not an accident.
test.each([
  ['encode, decode', 7040],
  ['stringify, parse', 6750],
  ['encode', 5760],
  ['decode', 5360],
])('{ %s } takes at most %i bytes', async (names, budget) => {
  expect(gzipBytes(await bundled(names))).toBeLessThanOrEqual(budget);
});

test('values with the types of the language take at most 5120 bytes, and hold nothing of other types', async () => {
  const names = 'write, read, isMarked, checkText, toMessage, fromMessage, resolveLimits, common';
  const code = await bundled(names, '@lumenize/structured-clone/messages');
  expect(gzipBytes(code)).toBeLessThanOrEqual(5120);
  const absent = ['Temporal', 'atob', 'pass what they return', 'URLSearchParams', 'arrayBuffer()'];
  expect(absent.filter((part) => new TextDecoder().decode(code).includes(part))).toEqual([]);
});

describe('whoever uses only', () => {
  test.each([
    ['parse', ['TextDecoder', 'arrayBuffer()', 'btoa']],
    ['stringify', ['JSON.parse', 'TextDecoder', 'arrayBuffer()']],
    ['decode', ['atob', 'arrayBuffer()']],
    ['encode', ['JSON.parse', 'TextDecoder', 'btoa', 'arrayBuffer()']],
  ])('%s loads nothing of the others', async (name, absent) => {
    const code = new TextDecoder().decode(await bundled(name));
    expect(absent.filter((part) => code.includes(part))).toEqual([]);
  });
});
