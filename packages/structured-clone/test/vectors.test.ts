import { afterAll, expect, test } from 'vitest';
import { FuzzThread } from './fuzz/thread.ts';
import { readVectors } from './fuzz/vectors.ts';

const thread = new FuzzThread();
afterAll(() => thread[Symbol.asyncDispose]());

// Each of these did once; `npm run tool -- fuzz` adds to them.
test.each(readVectors())(
  '$file does no harm',
  async ({ fuzzCase }) => {
    expect(await thread.judge(fuzzCase)).toBeUndefined();
  },
  20_000,
);
