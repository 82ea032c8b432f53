import { type ConnectionState, connect, connection, type Stub } from '@lumenize/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CounterApi } from '../examples/counter/src/counter-api.ts';
import type { ContractTarget } from './contract/contract-target.ts';
import { type ServedWorker, serveTestWorker } from './support/workerd.ts';

/** Connects again as soon as there is a server. */
const SOON = { reconnect: { maxDelayMs: 50 } };

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

/** Resolves when a connection comes to a state. */
function whenState(stub: object, wanted: ConnectionState): Promise<void> {
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
