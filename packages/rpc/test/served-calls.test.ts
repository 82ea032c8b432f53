import { connectInMemory } from '@lumenize/rpc/memory';
import { RpcTarget } from '@lumenize/rpc/server';
import { expect, test } from 'vitest';

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
