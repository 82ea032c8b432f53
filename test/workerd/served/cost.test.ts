import { once } from 'node:events';
import { connect, connection, type Stub } from '@lumenize/rpc';
import { observeCalls } from '@lumenize/rpc/observe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CounterApi } from '../../../examples/counter/src/counter-api.ts';
import type { ContractTarget } from '../../contract/contract-target.ts';
import { countTraffic, type Traffic } from '../../support/counting-web-socket.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

// The bounds that were set are 30 bytes up and 16 down; these are what was reached, and is to be kept.
const MAX_INCREMENT_BYTES_UP = 24;
const MAX_INCREMENT_BYTES_DOWN = 10;

const NOTHING: Traffic = { framesUp: 0, framesDown: 0, bytesUp: 0, bytesDown: 0 };

describe('over a socket to workerd, counted at the socket', () => {
  let worker: SharedWorker;
  const counting = countTraffic();
  const { traffic, sockets } = counting;

  beforeAll(async () => {
    worker = await sharedWorker();
  });
  afterAll(async () => {
    counting[Symbol.dispose]();
  });

  /** Runs something and returns what it cost. */
  async function costOf(run: () => Promise<unknown>): Promise<Traffic> {
    const before = { ...traffic };
    await run();
    return subtract(traffic, before);
  }

  test.each(['counter', 'counter-accept'])('a call of %s is one small frame each way', async (binding) => {
    using counter = connect<CounterApi>(worker.url(`/rpc/${binding}/one-call`));
    // The first increments, and those behind ids and values of several bytes.
    for (const id of [1, 2, 100, 200]) {
      while (connection(counter).statistics.framesSent < id - 1) await counter.getValue();
      const cost = await costOf(() => counter.increment());
      expect(cost).toMatchObject({ framesUp: 1, framesDown: 1 });
      expect(cost.bytesUp).toBeLessThanOrEqual(MAX_INCREMENT_BYTES_UP);
      expect(cost.bytesDown).toBeLessThanOrEqual(MAX_INCREMENT_BYTES_DOWN);
    }
    expect(await counter.getValue()).toBe(4);
  });

  test('a hundred calls of one turn are one frame each way, and each runs once', async () => {
    using counter = connect<CounterApi>(worker.url('/rpc/counter/hundred'));
    const results: number[] = [];
    const cost = await costOf(async () => {
      results.push(...(await Promise.all(Array.from({ length: 100 }, () => counter.increment()))));
    });
    expect(cost).toMatchObject({ framesUp: 1, framesDown: 1 });
    expect(results).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(await counter.getValue()).toBe(100);
  });

  test('a call made one job after another shares its frame', async () => {
    using counter = connect<CounterApi>(worker.url('/rpc/counter/one-job-later'));
    const later = async () => {
      await undefined;
      return counter.increment();
    };
    const cost = await costOf(async () => expect(await Promise.all([counter.increment(), later()])).toEqual([1, 2]));
    expect(cost).toMatchObject({ framesUp: 1, framesDown: 1 });
  });

  test('a chain of three steps is one frame each way, and each step runs once', async () => {
    using stub = connect<ContractTarget>(worker.url('/rpc/contract/chain'));
    const cost = await costOf(async () => expect(await stub.owner().profile().greet('Bob')).toBe('Bob greets Ada'));
    expect(cost).toMatchObject({ framesUp: 1, framesDown: 1 });
    expect(await stub.ran()).toEqual(['owner', 'profile']);
  });

  test('to observe calls costs no frame and no byte', async () => {
    let ended = 0;
    const observe = observeCalls(() => ({ end: () => void ended++ }));
    const costs: Traffic[] = [];
    for (const [name, options] of Object.entries({ alone: {}, observed: { observe } })) {
      using counter = connect<CounterApi>(worker.url(`/rpc/counter/${name}`), options);
      const calls = () => Promise.all([counter.increment(), counter.getValue(), counter.increment()]);
      costs.push(await costOf(calls));
    }
    expect(costs[1]).toEqual(costs[0]);
    expect(ended).toBe(3);
  });

  test('to connect costs no frame', async () => {
    const { promise: opened, resolve } = Promise.withResolvers<void>();
    const cost = await costOf(async () => {
      using counter = connect<CounterApi>(worker.url('/rpc/counter/quiet'), {
        eager: true,
        onStateChange: (state) => state === 'open' && resolve(),
      });
      await opened;
      // The answer comes behind all that either side has sent since the socket opened.
      await counter.increment();
    });
    expect(cost).toMatchObject({ framesUp: 1, framesDown: 1 });
  });

  test('to close costs no frame', async () => {
    const counter = connect<CounterApi>(worker.url('/rpc/counter/closing'));
    await counter.increment();
    const socket = sockets.at(-1)!;
    const cost = await costOf(async () => {
      const closed = once(socket, 'close');
      counter[Symbol.dispose]();
      await closed;
    });
    expect(cost).toEqual(NOTHING);
  });

  test('the statistics of a connection say what its socket carried', async () => {
    const before = { ...traffic };
    using stub = connect<ContractTarget>(worker.url('/rpc/contract/statistics'));
    await useVariously(stub);
    const { framesSent, framesReceived, bytesSent, bytesReceived } = connection(stub).statistics;
    expect({
      framesUp: framesSent,
      framesDown: framesReceived,
      // Of text, units are counted.
      bytesUp: bytesSent + Buffer.byteLength(TEXT) - TEXT.length,
      bytesDown: bytesReceived + Buffer.byteLength(TEXT) - TEXT.length,
    }).toEqual(subtract(traffic, before));
    expect(framesSent).toBeGreaterThan(3);
  });
});

const TEXT = '日本語'.repeat(1000);

async function useVariously(stub: Stub<ContractTarget>): Promise<void> {
  await stub.echo(new Uint8Array(100_000));
  await Promise.allSettled([stub.throws(), stub.sum(1, 2), stub.rejects()]);
  const held = stub.held(1);
  await stub.release();
  await held;
  await stub.echo(TEXT);
}

function subtract(now: Traffic, before: Traffic): Traffic {
  return {
    framesUp: now.framesUp - before.framesUp,
    framesDown: now.framesDown - before.framesDown,
    bytesUp: now.bytesUp - before.bytesUp,
    bytesDown: now.bytesDown - before.bytesDown,
  };
}
