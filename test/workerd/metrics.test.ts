import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import type { RpcMetrics } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { connectToSelf, upgrade } from './self-transport.ts';

const { COMPOSED, COUNTER, CONTRACT } = env as unknown as Record<string, DurableObjectNamespace>;

function metricsOf(namespace: DurableObjectNamespace, name: string): Promise<RpcMetrics> {
  return runInDurableObject(
    namespace.getByName(name),
    (object) => (object as object as { rpcMetrics: RpcMetrics }).rpcMetrics,
  );
}

test('the metrics of an object and the statistics of its connection say the same', async () => {
  using stub = connectToSelf<ContractTarget>('/rpc/contract/metrics');
  await stub.echo('x'.repeat(1000));
  await Promise.allSettled([stub.throws(), stub.sum(1, 2), stub.rejects()]);
  const { statistics } = connection(stub);
  expect(statistics).toMatchObject({ callsInFlight: 0, reconnects: 0 });
  expect(await metricsOf(CONTRACT, 'metrics')).toEqual({
    connections: 1,
    hibernating: 0,
    callsInFlight: 0,
    callsSucceeded: 2,
    callsFailed: 2,
    framesReceived: statistics.framesSent,
    framesSent: statistics.framesReceived,
    bytesReceived: statistics.bytesSent,
    bytesSent: statistics.bytesReceived,
    refused: {},
  });
});

test('metrics tell connections that hibernate from those that are awake, and begin anew when the object wakes', async () => {
  using first = connectToSelf<CounterApi>('/rpc/counter/metered');
  using second = connectToSelf<CounterApi>('/rpc/counter/metered');
  await Promise.all([first.increment(), second.increment()]);
  expect(await metricsOf(COUNTER, 'metered')).toMatchObject({ connections: 2, hibernating: 0, callsSucceeded: 2 });
  await evictDurableObject(COUNTER.getByName('metered'));
  expect(await metricsOf(COUNTER, 'metered')).toMatchObject({ connections: 2, hibernating: 2, callsSucceeded: 0 });
  await first.increment();
  using bound = connectBinding<CounterApi>(COUNTER.getByName('metered'));
  await bound.getValue();
  expect(await metricsOf(COUNTER, 'metered')).toMatchObject({
    connections: 3,
    hibernating: 1,
    callsSucceeded: 2,
    framesReceived: 2,
    framesSent: 2,
  });
});

describe('an object with sockets of its own', () => {
  test('counts connections only, also for maxConnections', async () => {
    const own = await Promise.all(
      Array.from({ length: 3 }, () => upgrade('/rpc/composed/few', { 'Sec-WebSocket-Protocol': '' })),
    );
    for (const socket of own) socket.accept();
    using first = connectToSelf<{ hello(): string }>('/rpc/composed/few');
    await first.hello();
    expect(await metricsOf(COMPOSED, 'few')).toMatchObject({ connections: 1, hibernating: 0 });
    await evictDurableObject(COMPOSED.getByName('few'));
    expect(await metricsOf(COMPOSED, 'few')).toMatchObject({ connections: 1, hibernating: 1 });
    using second = connectToSelf<{ hello(): string }>('/rpc/composed/few');
    expect(await second.hello()).toBe('hello');
    using third = connectToSelf<{ hello(): string }>('/rpc/composed/few');
    await expect(third.hello()).rejects.toMatchObject({
      code: 'OVERLOADED',
      message: expect.stringMatching(/^maxConnections of 2 /),
    });
    for (const socket of own) socket.close();
  });

  test('refuses connections that may be tried again where these leave no room', async () => {
    const object = COMPOSED.getByName('full');
    const ends = await runInDurableObject(object, (_object, ctx) => {
      const ends: WebSocket[] = [];
      for (let count = 0; count < 32_768; count++) {
        const [client, server] = Object.values(new WebSocketPair());
        ctx.acceptWebSocket(server);
        ends.push(client);
      }
      return ends;
    });
    const socket = await upgrade('/rpc/composed/full');
    const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
    socket.accept();
    expect(await closing).toMatchObject({ code: 4400, reason: expect.stringMatching(/^OVERLOADED: .* no room /) });
    expect(await metricsOf(COMPOSED, 'full')).toMatchObject({ connections: 0, refused: { OVERLOADED: 1 } });
    expect(ends).toHaveLength(32_768);
  });
});
