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

interface Pipe {
  readonly readable: ReadableStream<string>;
  readonly writable: WritableStream<string>;
}

test('streams go on while someone has no more than the writer and a pending read', async () => {
  using stub = connectToSelf<{ pipe(): Pipe; events(): unknown[] }>('/rpc/streams/held-by-ends');
  const ends = async () => {
    const { readable, writable } = await stub.pipe();
    return { writer: writable.getWriter(), reading: readable.getReader().read() };
  };
  const held = await Promise.all(Array.from({ length: 5 }, ends));
  const dropped = new WeakRef((await stub.pipe()).readable);
  // Where these have been found, those would have been.
  while (dropped.deref() !== undefined || connection(stub).statistics.channels > 2 * held.length) {
    makeGarbage();
    await new Promise((resolve) => setTimeout(resolve));
    await stub.events();
  }
  for (const { writer, reading } of held) {
    await writer.write('late');
    expect(await reading).toEqual({ done: false, value: 'late' });
  }
  expect(connection(stub).statistics.channels).toBe(2 * held.length);
});

/** Has the engine collect all garbage sooner or later: it does when much memory is held outside of its heap. */
function makeGarbage(): number {
  return new Uint8Array(2 ** 25).length;
}
