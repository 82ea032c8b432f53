import { getEventListeners } from 'node:events';
import { garbageCollector } from '@lumenize/hosts/garbage-collector';
import { connection, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';
import { createServerContext } from '../src/server/server-context.ts';
import { turns } from './support/serve.ts';

const collect = garbageCollector();

class Api extends RpcTarget {
  ended = 0;
  closing: Promise<void> | undefined;
  async *count() {
    try {
      for (let n = 0; ; n++) yield n;
    } finally {
      this.ended++;
    }
  }
  endless() {
    return new ReadableStream({
      pull: (controller) => controller.enqueue(1),
      cancel: () => void this.ended++,
    });
  }
  sink() {
    return new WritableStream({ close: () => this.closing, abort: () => void this.ended++ });
  }
  /** Takes something and does nothing with it. */
  ignore(_value: unknown) {}
  async slow(_signal: AbortSignal) {
    await turns(2);
  }
}

function setup() {
  const api = new Api();
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const stub: any = connectInMemory(api);
  return { api, stub, channels: () => connection(stub).statistics.channels };
}

function streamOf(iterator: AsyncIterator<unknown>): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue((await iterator.next()).value);
    },
  });
}

/** Collects garbage until something holds. */
async function collectUntil(holds: () => boolean, meanwhile: () => unknown = () => {}): Promise<void> {
  while (!holds()) {
    collect();
    await turns(2);
    await meanwhile();
  }
}

test.each(['count', 'endless', 'sink'])('what %s returned is stopped when it is collected', async (method) => {
  const { api, stub, channels } = setup();
  for (let n = 0; n < 10; n++) await stub[method]();
  await collectUntil(() => channels() === 0);
  await turns(5);
  expect(api.ended).toBe(10);
});

test('a stream that is being closed is not collected', async () => {
  const { api, stub } = setup();
  const later = Promise.withResolvers<void>();
  api.closing = later.promise;
  const closed = (async () => (await stub.sink()).getWriter().close())();
  for (let n = 0; n < 5; n++) {
    await turns(2);
    collect();
  }
  later.resolve();
  await closed;
  expect(api.ended).toBe(0);
});

test('what a method did not read is stopped when it is collected there, with the next frame', async () => {
  const { api, stub, channels } = setup();
  const own = new Api();
  for (let n = 0; n < 10; n++) await stub.ignore([own.endless(), own.count(), own.sink()]);
  await collectUntil(
    () => channels() === 0 && own.ended === 30,
    () => stub.ignore(0),
  );
  expect(api.ended).toBe(0);
});

test('what is being read is not collected', async () => {
  const { stub } = setup();
  let [later, reads] = [Promise.withResolvers<void>(), 0];
  async function* slowly() {
    for (;;) {
      await later.promise;
      yield ++reads;
    }
  }
  class Echo extends RpcTarget {
    echo(value: unknown) {
      return value;
    }
  }
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  const echo: any = connectInMemory(new Echo());
  // Only the promises of what they read next are held.
  const next = await (async () => {
    const iterator = await echo.echo(slowly());
    return [iterator.next(), (await echo.echo(streamOf(slowly()))).getReader().read()];
  })();
  for (let n = 0; n < 5; n++) {
    collect();
    await turns(2);
  }
  later.resolve();
  expect(await Promise.all(next)).toEqual([
    { done: false, value: 1 },
    { done: false, value: 2 },
  ]);
  later = Promise.withResolvers();
  echo[Symbol.dispose]();
  stub[Symbol.dispose]();
});

test('a signal that outlives its calls keeps no listeners', async () => {
  const { stub, channels } = setup();
  const { signal } = new AbortController();
  const calls = [stub.slow(signal), stub.slow(signal), stub.ignore({ signal }), stub.nothing(signal)];
  expect(getEventListeners(signal, 'abort').length).toBe(4);
  await Promise.allSettled(calls);
  expect(getEventListeners(signal, 'abort').length).toBe(0);
  expect(channels()).toBe(0);
});

test('settings of objects that make their extensions anew are not kept for ever', async () => {
  const used: WeakRef<object>[] = [];
  for (let at = 0; at < 100; at++) {
    const extension = { name: 'ping' };
    createServerContext({ use: [extension] });
    used.push(new WeakRef(extension));
  }
  await turns(2);
  collect();
  expect(used.filter((extension) => extension.deref() !== undefined).length).toBeLessThan(30);
});
