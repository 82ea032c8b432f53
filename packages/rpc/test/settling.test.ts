import { promiseHooks } from 'node:v8';
import { RpcTarget } from '@lumenize/rpc';
import { testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';

class Api extends RpcTarget {
  add(a: number, b: number): number {
    return a + b;
  }
  fail(): never {
    throw new Error('no');
  }
}

/** Counts the promises that are made until one settles. */
async function countPromises(run: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const stop = promiseHooks.onInit(() => void count++) as () => void;
  try {
    await run();
  } finally {
    stop();
  }
  return count;
}

test('a call that succeeds makes one promise, beside the one that then() returns', async () => {
  using api = testConnection(() => new Api());
  const calls = (count: number) => () =>
    new Promise<void>((resolve) => {
      let left = count;
      const settled = () => {
        if (--left === 0) resolve();
      };
      for (let n = 0; n < count; n++) void api.stub.add(n, 1).then(settled);
    });
  await calls(1)();
  const [few, many] = [await countPromises(calls(10)), await countPromises(calls(110))];
  expect(many - few).toBe(100 * 2);
});
