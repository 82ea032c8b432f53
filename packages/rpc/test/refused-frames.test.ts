import { connection } from '@lumenize/rpc';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';
import { until } from './support/until.ts';

class Taker extends RpcTarget {
  take(...given: unknown[]): number {
    return given.length;
  }
}

/** What servers do not take of clients: what stands before it in a frame is read, and what stands behind it is not. */
const REFUSED = /refused/;

test('a refused frame leaves no channel open, not even one that the server did not come to open', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  const cancelled: number[] = [];
  const streams = [0, 1, 2].map((n) => new ReadableStream({ cancel: () => void cancelled.push(n) }));
  const calls = [stub.take(streams[0], REFUSED, streams[1]), stub.take(streams[2])];
  await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ name: 'RpcError' })));
  await until(() => cancelled.length === 3);
  expect(connection(stub).statistics.channels).toBe(0);
});

test('a refused frame leaves nothing held by reference on either side', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  const shared = () => {};
  const calls = [stub.take(shared, REFUSED, () => {}), stub.take(shared)];
  await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ name: 'RpcError' })));
  expect(connection(stub).statistics.exports).toBe(0);
});

test('what a refused frame passed again stays held', async () => {
  const heard: string[] = [];
  class Listening extends RpcTarget {
    #listener: ((text: string) => void) | undefined;
    listen(listener: (text: string) => void, _more?: unknown): void {
      this.#listener = listener;
    }
    tell(text: string): void {
      this.#listener?.(text);
    }
  }
  using connected = testConnection(() => new Listening());
  const { stub } = connected;
  const listener = (text: string) => void heard.push(text);
  await stub.listen(listener);
  await expect(stub.listen(listener, REFUSED)).rejects.toMatchObject({ name: 'RpcError' });
  await stub.tell('still there');
  expect(heard).toEqual(['still there']);
  expect(connection(stub).statistics.exports).toBe(1);
});
