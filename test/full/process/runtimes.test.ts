import { describe, expect, test } from 'vitest';
import { CASES } from '../../contract/cases/all.ts';
import { surprises } from '../../runtimes/known.ts';
import { RUNTIMES } from '../../runtimes/runtimes.ts';
import { sharedWorker } from '../../support/shared-worker.ts';

/** Those that ask most of a platform; npm run tool -- runtimes runs all. Chromium, and Node's own version, have all in other files. */
const PARTS = ['calls', 'values', 'errors', 'streams'];
const ELSEWHERE = ['Chromium', 'Node 24'];

const found = await Promise.all(
  RUNTIMES.filter(({ name }) => !ELSEWHERE.includes(name)).map(async (runtime) => {
    const missing = await runtime.missing(false);
    if (missing !== undefined) console.warn(`The contract in ${runtime.name} skipped: ${missing}.`);
    return { runtime, missing };
  }),
);

describe.each(found)('in $runtime.name', { timeout: 120_000 }, ({ runtime, missing }) => {
  test.skipIf(missing !== undefined)('the contract holds, but for what is known', async () => {
    const { port } = await sharedWorker();
    const { results } = await runtime.run(`http://127.0.0.1:${port}`, PARTS);
    expect(results).toHaveLength(CASES.filter(({ part }) => PARTS.includes(part)).length);
    expect(surprises(runtime.name, results)).toEqual([]);
  });
});
