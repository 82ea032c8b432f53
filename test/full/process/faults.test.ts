import { type ConnectionState, connect, connection, type Stub } from '@lumenize/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CounterApi } from '../../../examples/counter/src/counter-api.ts';
import type { ContractTarget } from '../../contract/contract-target.ts';
import { type ServedWorker, serveTestWorker } from '../../support/workerd.ts';

/** Connects again as soon as there is a server. */
const SOON = { reconnect: { maxDelayMs: 50 } };

/** Bytes of a piece of a stream. */
const CHUNK = 65_536;

/** Times that the counter's server is killed under load. */
const KILLS = 5;

describe('a server that is killed', { timeout: 60_000 }, () => {
  let worker: ServedWorker;

  beforeAll(async () => {
    worker = await serveTestWorker();
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  test.each(['contract', 'contract-accept'])(
    'leaves no call of %s hanging, and serves the same stub when it is back',
    async (binding) => {
      using stub = connect<ContractTarget>(worker.url(`/rpc/${binding}/killed`), SOON);
      const held = [stub.held(1), stub.held(2)];
      // Its answer shows that the two have begun.
      await stub.ran();
      const settled = Promise.allSettled(held);

      const noticed = whenState(stub, 'reconnecting');
      await worker.kill();
      await noticed;
      // Made while there is no server: it waits.
      const added = stub.add();
      await worker.restart();
      for (const outcome of await settled) {
        expect(outcome).toMatchObject({
          status: 'rejected',
          reason: { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('held()') },
        });
      }
      // What was only in the object's memory is gone.
      expect(await added).toBe(1);
      expect(connection(stub)).toMatchObject({ state: 'open', statistics: { callsInFlight: 0, reconnects: 1 } });
    },
  );

  test('that does not come back in time leaves no call hanging either', async () => {
    using stub = connect<ContractTarget>(worker.url('/rpc/contract/gone'), { ...SOON, maxWaitMs: 50 });
    // A call that is made earlier waits for the connection, and on a busy machine for too long: then nobody waits for it.
    const opened = whenState(stub, 'open');
    stub.ran().catch(() => connection(stub).open());
    await opened;
    const held = stub.held(1);
    await stub.ran();
    await worker.kill();
    await expect(held).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await expect(stub.add()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('waited 50 ms (maxWaitMs)'),
    });
    expect(connection(stub).statistics.callsInFlight).toBe(0);
    await worker.restart();
    await whenState(stub, 'open');
    expect(await stub.add()).toBe(1);
  });

  test('fails who reads a stream of it, and cancels what is sent', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: tested untyped
    using stub: any = connect(worker.url('/rpc/streams/killed'));
    let reason: unknown;
    const source = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(CHUNK)),
      cancel: (given) => {
        reason = given;
      },
    });
    const size = stub.size(source);
    const reader = (await stub.bytes(1e6, CHUNK)).getReader();
    await reader.read();
    await worker.kill();
    await expect(size).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const rest = (async () => {
      while (!(await reader.read()).done);
    })();
    await expect(rest).rejects.toMatchObject({ name: 'RpcError', code: 'REFERENCE_LOST' });
    expect(reason).toMatchObject({ name: 'RpcError', code: 'REFERENCE_LOST' });
    expect(connection(stub).statistics).toMatchObject({ channels: 0, callsInFlight: 0 });
    await worker.restart();
  });

  test.each(['counter', 'counter-accept'])(
    'has kept every increment of %s that it acknowledged, and run none twice',
    async (binding) => {
      using counter = connect<CounterApi>(worker.url(`/rpc/${binding}/killed`), SOON);
      let least = 0;
      for (let kill = 1; kill <= KILLS; kill++) {
        const { acknowledged, unknown } = await incrementUntilKilled(counter, worker, kill * 7);
        const value = await counter.getValue();
        expect(value).toBeGreaterThanOrEqual(least + acknowledged);
        expect(value).toBeLessThanOrEqual(least + acknowledged + unknown);
        least = value;
      }
    },
  );
});

/** Resolves when a connection is in a state, or comes to it. */
function whenState(stub: object, wanted: ConnectionState): Promise<void> {
  if (connection(stub).state === wanted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = connection(stub).onStateChange((state) => {
      if (state !== wanted) return;
      stop();
      resolve();
    });
  });
}

/** Keeps ten increments in flight, kills the server after some have been acknowledged, and tells what became of all. */
async function incrementUntilKilled(
  counter: Stub<CounterApi>,
  worker: ServedWorker,
  killAfter: number,
): Promise<{ acknowledged: number; unknown: number }> {
  let acknowledged = 0;
  let killed: Promise<void> | undefined;
  // Nobody stops calling because the server is about to go: it is killed in the middle of whatever it does then.
  const incrementUntilLost = async () => {
    for (;;) {
      await counter.increment();
      if (++acknowledged === killAfter) killed = worker.kill().then(() => worker.restart());
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 10 }, incrementUntilLost));
  expect(outcomes).toEqual(
    outcomes.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'OUTCOME_UNKNOWN' }) })),
  );
  await killed;
  return { acknowledged, unknown: outcomes.length };
}
