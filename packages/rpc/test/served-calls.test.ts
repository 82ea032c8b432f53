import { connectInMemory } from '@lumenize/rpc/memory';
import { RpcTarget } from '@lumenize/rpc/server';
import { expect, test, vi } from 'vitest';
import { RpcServer } from '../src/server/rpc-server.ts';
import { serve } from './support/serve.ts';

type Any = ReturnType<typeof JSON.parse>;

class Api extends RpcTarget {
  /** Calls a function of the client many times, one after the other. */
  async callMany(count: number, listener: (n: number) => Promise<number>): Promise<number> {
    let sum = 0;
    for (let n = 0; n < count; n++) sum += await listener(n);
    return sum;
  }
}

test('a server makes more calls than ids that settle before the other side is told', async () => {
  const stub: Any = connectInMemory(new Api());
  expect(await stub.callMany(600, (n: number) => n)).toBe((599 * 600) / 2);
  stub[Symbol.dispose]();
});

test('a client that is sent much reads it, and says so', async () => {
  class Large extends RpcTarget {
    text(length: number): string {
      return 'x'.repeat(length);
    }
  }
  const stub: Any = connectInMemory(new Large(), { limits: { maxBytesInFlight: 20_000 } as Any });
  for (let turn = 0; turn < 20; turn++) expect(await stub.text(9000)).toHaveLength(9000);
  stub[Symbol.dispose]();
});

test('a result is called as a function before it arrives, with call() and apply()', async () => {
  class Pricing extends RpcTarget {
    pricing() {
      return (count: number) => count * 2;
    }
  }
  const stub: Any = connectInMemory(new Pricing());
  expect(await stub.pricing().call(null, 3)).toBe(6);
  expect(await stub.pricing().apply(undefined, [4])).toBe(8);
  stub[Symbol.dispose]();
});

test('an exactly-once call that is sent again does not run where results are not stored', async () => {
  let runs = 0;
  class Counter extends RpcTarget {
    static readonly rpc = { increment: { exactlyOnce: true } };
    increment(): number {
      return ++runs;
    }
  }
  const served = serve(new Counter());
  served.send([1, ['increment', []]]);
  served.send({ again: [1, ['increment', []]], open: [1], ms: 5 });
  await expect.poll(() => served.answers().get(1)).toBe('OUTCOME_UNKNOWN');
  expect(runs).toBe(1);
});

test('a server is asked for its options when there is something to serve, and not for a topic', () => {
  const options = vi.fn(() => ({ target: () => new (class extends RpcTarget {})() }));
  const server = new RpcServer({ storage: {} } as never, options);
  expect(server.topic('news').name).toBe('news');
  expect(options).not.toHaveBeenCalled();
  const socket = { deserializeAttachment: () => null } as never;
  expect(server.webSocketClose(socket, 1000)).toBe(false);
  expect(options).toHaveBeenCalledTimes(1);
});
