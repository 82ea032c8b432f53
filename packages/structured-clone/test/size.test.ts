import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { projectFolder } from '../../../test/support/serve-counter.ts';

/** What a page that uses only these has to load: minified, and its size when it is compressed. */
async function bundled(names: string): Promise<{ code: string; gzipBytes: number }> {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${names} } from '@lumenize/structured-clone'`, resolveDir: projectFolder },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['@lumenize/source'],
    logLevel: 'silent',
  });
  return { code: outputFiles[0].text, gzipBytes: gzipSync(outputFiles[0].contents, { level: 9 }).length };
}

// All types are in each. Larger ones than these are a decision, not an accident.
test.each([
  ['encode', 5000],
  ['decode', 4500],
  ['encode, decode', 8400],
  ['stringify', 3500],
  ['parse', 3500],
])('{ %s } takes at most %i bytes', async (names, budget) => {
  const { gzipBytes } = await bundled(names);
  expect(gzipBytes).toBeLessThanOrEqual(budget);
});

describe('whoever uses only', () => {
  test.each([
    ['parse', ['JSON.stringify', 'TextEncoder', 'TextDecoder', 'setFloat64', 'arrayBuffer()']],
    ['stringify', ['JSON.parse', 'TextEncoder', 'TextDecoder', 'setFloat64']],
    ['decode', ['JSON.', 'TextEncoder', 'setFloat64', 'readBodies']],
    ['encode', ['JSON.parse', 'TextDecoder', 'getFloat64']],
  ])('%s loads nothing of the others', async (name, absent) => {
    const { code } = await bundled(name);
    expect(absent.filter((part) => code.includes(part))).toEqual([]);
  });
});
