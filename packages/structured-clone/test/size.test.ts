import { bundleForBrowser, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { describe, expect, test } from 'vitest';

/** What a page that uses only these has to load, from the sources. */
function bundled(names: string): Promise<Uint8Array> {
  return bundleForBrowser(`export { ${names} } from '@lumenize/structured-clone'`, ['@lumenize/source']);
}

// All types are in each. Larger ones than these are a decision, not an accident.
test.each([
  ['encode', 6250],
  ['decode', 5250],
  ['encode, decode', 10_050],
  ['stringify, parse', 7500],
  // A type is one row for both directions, so each alone has all rows.
  ['stringify', 6300],
  ['parse', 5250],
])('{ %s } takes at most %i bytes', async (names, budget) => {
  expect(gzipBytes(await bundled(names))).toBeLessThanOrEqual(budget);
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
