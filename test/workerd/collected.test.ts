import { connection } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import type { ContractTarget } from '../contract/contract-target.ts';
import { connectToSelf } from './self-transport.ts';

test('a client in a Worker tells with its next call what garbage collection has found', async () => {
  using stub = connectToSelf<ContractTarget>('/rpc/contract/collected');
  let made = 0;
  const held = () => connection(stub).statistics.imports;
  while (held() === made) {
    await stub.counter(made++);
    makeGarbage();
    // Finalizers run between jobs.
    await new Promise((resolve) => setTimeout(resolve));
  }
  // More may be found at any time.
  await expect.poll(async () => ((await stub.counts()) as { exports: number }).exports - held()).toBe(0);
});

/** Has the engine collect all garbage sooner or later: it does when much memory is held outside of its heap. */
function makeGarbage(): number {
  return new Uint8Array(2 ** 25).length;
}
