import { connection, withOptions } from '@lumenize/rpc';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';
import { until } from './support/until.ts';

class Taker extends RpcTarget {
  taken = 0;
  take(..._given: unknown[]): number {
    return ++this.taken;
  }
}

test('what a call passes that is given up before it is sent is let go of', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  const caller = new AbortController();
  const reasons: unknown[] = [];
  const stream = new ReadableStream({ cancel: (reason) => void reasons.push(reason) });
  const call = withOptions(stub, { signal: caller.signal }).take(() => {}, stream);
  await Promise.resolve(); // its frame is finished, and waits for the connection
  caller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await stub.take()).toBe(1);
  await until(() => reasons.length === 1);
  expect(connection(stub).statistics).toMatchObject({ exports: 0, channels: 0 });
});

test('what a call passes that is refused before it is sent is let go of', async () => {
  using connected = testConnection(() => new Taker(), { maxQueuedBytes: 1000 });
  const { stub } = connected;
  const call = stub.take(() => {}, new ReadableStream(), 'x'.repeat(2000));
  await expect(call).rejects.toMatchObject({ code: 'OVERLOADED' });
  expect(await stub.take()).toBe(1);
  expect(connection(stub).statistics).toMatchObject({ exports: 0, channels: 0 });
});

test('what a call passed that was given up is let go of when its frame is refused', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  await stub.take();
  const caller = new AbortController();
  const given = withOptions(stub, { signal: caller.signal }).take(() => {});
  const refused = stub.take(/refused/);
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(refused).rejects.toMatchObject({ name: 'RpcError' });
  expect(connection(stub).statistics.exports).toBe(0);
});
