import { connection, RpcError, withOptions } from '@lumenize/rpc';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { expect, test, vi } from 'vitest';
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

test('a refused frame leaves nothing behind either where its calls were given up before', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  await stub.take();
  using held = connected.hold('up');
  const caller = new AbortController();
  const cancelled: string[] = [];
  const stream = new ReadableStream({ cancel: () => void cancelled.push('stream') });
  const call = withOptions(stub, { signal: caller.signal }).take(() => {}, stream, REFUSED);
  await held.caught();
  caller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  held.release();
  await until(() => cancelled.length === 1);
  expect(connection(stub).statistics).toMatchObject({ exports: 0, channels: 0 });
});

class Closed extends RpcTarget {
  static readonly rpc = { denied: { guard: () => false } };
  #listener: (() => string) | undefined;
  denied(_given: unknown): void {}
  listen(listener: () => string): void {
    this.#listener = listener;
  }
  async ask(): Promise<string | undefined> {
    return this.#listener?.();
  }
  async failing(): Promise<Taker> {
    throw new RangeError('no');
  }
}

/** Makes calls that do not run, and passes something to each. */
async function callInVain(closed: unknown, given: (name: string) => unknown): Promise<void> {
  // biome-ignore lint/suspicious/noExplicitAny: calls of methods that are not there
  const stub = closed as any;
  const calls = [stub.missing(given('missing')), stub.denied(given('denied')), stub.failing().take(given('failing'))];
  for (const call of calls) await expect(call).rejects.toBeInstanceOf(Error);
}

test('what is passed to a call that does not run ends, and neither side waits for it', async () => {
  using connected = testConnection(() => new Closed());
  const cancelled: string[] = [];
  await callInVain(connected.stub, (name) => new ReadableStream({ cancel: () => void cancelled.push(name) }));
  await until(() => cancelled.length === 3);
  expect(connection(connected.stub).statistics.channels).toBe(0);
});

test('what is passed by reference to a call that does not run is given back', async () => {
  using connected = testConnection(() => new Closed());
  await callInVain(connected.stub, (name) => [() => name, new Taker()]);
  await until(() => connection(connected.stub).statistics.exports === 0);
});

test('what is passed by reference to a call that does not run stays with another call that it was passed to', async () => {
  using connected = testConnection(() => new Closed());
  const listener = () => 'still there';
  await connected.stub.listen(listener);
  await callInVain(connected.stub, () => listener);
  expect(await connected.stub.ask()).toBe('still there');
  expect(connection(connected.stub).statistics.exports).toBe(1);
});

const CLOSED = new RpcError('DENIED', 'closed');

/** Refuses calls before it runs them and while it runs them, with the same error. */
class OftenClosed extends RpcTarget {
  static readonly rpc = {
    guarded: {
      guard: () => {
        throw CLOSED;
      },
    },
  };
  #listener: (() => string) | undefined;
  guarded(): void {}
  listen(listener: () => string): never {
    this.#listener = listener;
    throw CLOSED;
  }
  async ask(): Promise<string | undefined> {
    return this.#listener?.();
  }
}

test('what a method has kept stays, though it throws an error with which calls were refused before', async () => {
  const onError = vi.fn();
  using connected = testConnection(() => new OftenClosed(), { onError });
  const { stub } = connected;
  await expect(stub.guarded()).rejects.toMatchObject({ code: 'DENIED', message: 'closed' });
  await expect(stub.listen(() => 'still there')).rejects.toMatchObject({ code: 'DENIED', message: 'closed' });
  expect(await stub.ask()).toBe('still there');
  expect(onError.mock.calls.map(([error, method]) => [error, method])).toEqual([[CLOSED, 'listen']]);
});
