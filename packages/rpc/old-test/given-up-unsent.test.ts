import { connection, withOptions } from '@lumenize/rpc';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';
import { until } from './support/serve.ts';

class Taker extends RpcTarget {
  taken = 0;
  take(..._given: unknown[]): number {
    return ++this.taken;
  }
  self(): this {
    return this;
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

test('calls do not wait behind a body without an end once its call is given up', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  const caller = new AbortController();
  const given = withOptions(stub, { signal: caller.signal }).take(new Response(new ReadableStream()));
  const behind = stub.take();
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await behind).toBe(1);
});

test('a call that waits for a body, and calls behind it, reject when the connection is closed', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  await stub.take();
  const calls = [stub.take(new Response(new ReadableStream())), stub.take()];
  connection(stub).close();
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
  expect(connection(stub).statistics.callsInFlight).toBe(0);
});

test('a step whose only call was given up before it was sent is gone for later calls', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  const step = stub.self();
  const caller = new AbortController();
  const given = withOptions(step, { signal: caller.signal }).take();
  const other = stub.take();
  await Promise.resolve(); // its frame is finished, and waits for the connection
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await other).toBe(1);
  await expect(step.take()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
  expect(await stub.self().take()).toBe(2);
});

test('a step whose first call was given up before it was sent stays for a call that was made before that', async () => {
  using connected = testConnection(() => new Taker(), { maxQueuedBytes: 1000 });
  const { stub } = connected;
  await stub.take();
  connected.cut();
  const held = connected.hold('up'); // nothing connects meanwhile
  const step = stub.self();
  const caller = new AbortController();
  const given = withOptions(step, { signal: caller.signal }).take();
  await new Promise((resolve) => setImmediate(resolve)); // its frame is finished
  const used = step.take();
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  // The client looks for room in its queue.
  await expect(stub.take('x'.repeat(2000))).rejects.toMatchObject({ code: 'OVERLOADED' });
  held.release();
  expect(await used).toBe(2);
});

test('a call that passes a function is made although a step beside it was given up and then awaited', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  await stub.take();
  connected.cut();
  const held = connected.hold('up'); // nothing connects meanwhile
  const caller = new AbortController();
  const step = withOptions(stub, { signal: caller.signal }).self();
  const calls = [stub.take(step), stub.take(() => {})];
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  await expect(Promise.resolve(step)).rejects.toMatchObject({ code: 'CANCELLED' });
  held.release();
  expect(await Promise.all(calls)).toEqual([2, 3]);
  expect(connected.transcript()).not.toContain('resent');
});

test('calls that waited for a body while the connection was lost belong to the next one, and so do their steps', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  await stub.take();
  const body = new TransformStream();
  const taken = stub.take(new Response(body.readable));
  const step = stub.self();
  const used = step.take();
  connected.cut();
  await until(() => connection(stub).state === 'open');
  await body.writable.close();
  expect(await Promise.all([taken, used])).toEqual([2, 3]);
  expect(await step.take()).toBe(4);
});
