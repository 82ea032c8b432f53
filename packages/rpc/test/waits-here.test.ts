import { connection, withOptions } from '@lumenize/rpc';
import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test } from 'vitest';
import { Line } from './support/line.ts';
import { serve, until } from './support/serve.ts';

class Taker extends RpcTarget {
  readonly gate = Promise.withResolvers<void>();
  taken = 0;
  take(..._given: unknown[]): number {
    return ++this.taken;
  }
  async wait(): Promise<Taker> {
    await this.gate.promise;
    return this;
  }
}

const endless = () => new Response(new ReadableStream());

describe('a call that waits for a body', () => {
  test.each<[string, string, (stop: AbortController) => { signal?: AbortSignal; timeoutMs?: number }]>([
    ['its signal is aborted', 'CANCELLED', ({ signal }) => ({ signal })],
    ['its time is over', 'TIMED_OUT', () => ({ timeoutMs: 5 })],
  ])('rejects, and is never made, when %s', async (_when, code, options) => {
    using connected = testConnection(() => new Taker());
    const { stub } = connected;
    const stop = new AbortController();
    const body = new TransformStream();
    const given = withOptions(stub, options(stop)).take(new Response(body.readable));
    const other = stub.take();
    stop.abort();
    await expect(given).rejects.toMatchObject({ code });
    await body.writable.close();
    expect([await other, await stub.take()]).toEqual([1, 2]);
  });

  test('rejects when the connection is closed', async () => {
    using connected = testConnection(() => new Taker());
    const { stub } = connected;
    await stub.take();
    const call = stub.take(endless());
    connection(stub).close();
    await expect(call).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
  });

  test('is made over the next connection when its own is lost', async () => {
    using connected = testConnection(() => new Taker());
    const { stub } = connected;
    await stub.take();
    const body = new TransformStream();
    const call = stub.take(new Response(body.readable), () => {});
    connected.cut();
    await until(() => connection(stub).state === 'open');
    await body.writable.close();
    expect(await call).toBe(2);
  });
});

test('a call that waits for an earlier result has its own time', async () => {
  using connected = testConnection(() => new Taker());
  const { stub } = connected;
  const earlier = stub.wait();
  await until(() => connection(stub).state === 'open' && connection(stub).statistics.callsInFlight === 1);
  await expect(withOptions(earlier, { timeoutMs: 5 }).take()).rejects.toMatchObject({ code: 'TIMED_OUT' });
  expect(await stub.take()).toBe(1);
});

describe('what a call passes is let go of when it', () => {
  test.each<[string, string, object]>([
    ['is refused for maxQueuedBytes', 'OVERLOADED', { maxQueuedBytes: 1000 }],
    ['has waited for maxWaitMs', 'NOT_EXECUTED', { maxWaitMs: 20 }],
  ])('%s', async (_when, code, options) => {
    const line = new Line(new Taker());
    line.isDown = true;
    const stub = line.connect(options);
    const reasons: unknown[] = [];
    const stream = new ReadableStream({ cancel: (reason) => void reasons.push(reason) });
    await expect(stub.take(() => {}, stream, 'x'.repeat(2000))).rejects.toMatchObject({ code });
    expect(connection(stub).statistics).toMatchObject({ exports: 0, channels: 0 });
    await until(() => reasons.length === 1);
    line.isDown = false;
    expect(await stub.take()).toBe(1);
    stub[Symbol.dispose]();
  });
});

test('a target whose class has a method then is passed as a target, and the method never runs', async () => {
  let ran = 0;
  class Thenable extends RpcTarget {
    then(): void {
      ran++;
    }
    text(): string {
      return 'a target';
    }
  }
  class Api extends RpcTarget {
    list() {
      return [new Thenable()];
    }
    // biome-ignore lint/suspicious/noExplicitAny: stubs
    async ask(given: any[]): Promise<string> {
      return await given[0].text();
    }
  }
  using connected = testConnection(() => new Api());
  const { stub } = connected;
  const [found] = await stub.list();
  expect(await found.text()).toBe('a target');
  expect(await stub.ask([new Thenable()] as never)).toBe('a target');
  expect(ran).toBe(0);
});

test('what streams send waits for a client that does not read, and goes on when it does', async () => {
  class Flood extends RpcTarget {
    async *flood() {
      for (;;) yield 'x'.repeat(1000);
    }
  }
  const { sent, send, session } = serve(new Flood(), { limits: { maxBytesInFlight: 40_000, maxMessageBytes: 20_000 } });
  const text = () => sent.join('');
  send([1, ...Array.from({ length: 50 }, () => ['flood', []])]);
  await until(() => text().includes('"$iterable":[50]'));
  for (let id = 1; id <= 50; id++) {
    send([100 + id, [id, []]]);
    await new Promise((resolve) => setTimeout(resolve));
  }
  const chunks = () => text().split('"xxx').length - 1;
  await until(() => session.turns.isHeld);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve));
  const before = chunks();
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(50);
  for (let at = 0; at < 50 && chunks() < 200; at++) {
    const [, name] = text().match(/.*\{"read":"([^"]+)"\}/s)!;
    send({ read: name });
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  }
  expect(chunks()).toBe(200);
});
