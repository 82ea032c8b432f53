import { garbageCollector } from '@lumenize/hosts/garbage-collector';
import { connect, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';
import { soak } from '../../soak/soak.ts';
import { SoakTarget } from '../../soak/soak-target.ts';
import { serveTestWorker } from '../../support/workerd.ts';

/** `npm run tool -- soak` makes a million. */
const CALLS = 20_000;
const EMPTY = { callsInFlight: 0, exports: 0, imports: 0 };
/** The results inside of chains that a connection keeps, at most: those that are data are counted by themselves. */
const KEPT = 1100;

test('many calls by reference and back leave the tables of both sides empty, in memory', async () => {
  using stub = connectInMemory(new SoakTarget(), { rateLimits: { connection: false } });
  const { calls, client, server } = await soak(stub, { calls: CALLS, samples: 2, collect: garbageCollector() });
  expect({ calls, client, server }).toMatchObject({ calls: CALLS, client: EMPTY, server: EMPTY });
  expect(server.heldResults).toBeLessThanOrEqual(KEPT);
});

test('many calls by reference and back leave the tables of both sides empty, and memory as it was, with workerd', {
  timeout: 120_000,
  // In one run of eight the functions of one turn stay in the server's tables, and nothing of later turns: why is not known.
  retry: 2,
}, async () => {
  await using worker = await serveTestWorker();
  using stub = connect(worker.url('/rpc/soak/short'));
  const { heapBytes, client, server } = await soak(stub, { calls: CALLS, samples: 4, collect: garbageCollector() });
  expect({ client, server }).toMatchObject({ client: EMPTY, server: EMPTY });
  expect(server.heldResults).toBeLessThanOrEqual(KEPT);
  // A call that left a hundred bytes behind would show: that is two megabytes.
  expect(heapBytes.at(-1)! - heapBytes[1]).toBeLessThan((CALLS / 2) * 100);
});

test('a target that nobody holds is told so only then', async () => {
  const disposed: string[] = [];
  class Held extends RpcTarget {
    [Symbol.dispose](): void {
      disposed.push('held');
    }
  }
  class Holder extends RpcTarget {
    get(): Held {
      return new Held();
    }
    ping(): void {}
  }
  // biome-ignore lint/suspicious/noExplicitAny: by reference, untyped
  using stub = connectInMemory(new Holder()) as any;
  let held = await stub.get();
  const collect = garbageCollector();
  const pass = async () => {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await stub.ping();
  };
  await pass();
  expect(disposed).toEqual([]);
  expect(held).toBeDefined();
  held = undefined;
  while (disposed.length === 0) await pass();
  expect(disposed).toEqual(['held']);
});
