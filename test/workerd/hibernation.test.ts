import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import type { ContractTarget } from '../contract/contract-target.ts';
import { connectToSelf, upgrade } from './self-transport.ts';
import { tickerObject } from './topics-support.ts';

const { COUNTER } = env as unknown as { COUNTER: DurableObjectNamespace };

const marked = new WeakSet<object>();

/** Marks this life of the object in memory, and tells whether an earlier mark is still there. */
async function isSameLife(name: string): Promise<boolean> {
  return runInDurableObject(COUNTER.getByName(name), (object) => {
    const seen = marked.has(object);
    marked.add(object);
    return seen;
  });
}

describe('an object that hibernates', () => {
  test('serves the next call on the same socket, with nothing lost', async () => {
    using counter = connectToSelf<CounterApi>('/rpc/counter/sleeper');
    expect(await counter.increment()).toBe(1);
    expect(await isSameLife('sleeper')).toBe(false);
    expect(await isSameLife('sleeper')).toBe(true);

    await evictDurableObject(COUNTER.getByName('sleeper'));

    expect(await counter.increment()).toBe(2);
    expect(await isSameLife('sleeper')).toBe(false);
    expect(connection(counter)).toMatchObject({
      state: 'open',
      statistics: { framesSent: 2, framesReceived: 2, callsInFlight: 0 },
    });
  });

  test('wakes with every socket it had, each for its own client', async () => {
    const counters = Array.from({ length: 20 }, () => connectToSelf<CounterApi>('/rpc/counter/many'));
    await Promise.all(counters.map((counter) => counter.increment()));
    await evictDurableObject(COUNTER.getByName('many'));
    expect((await Promise.all(counters.map((counter) => counter.increment()))).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => 21 + index),
    );
    for (const counter of counters) counter[Symbol.dispose]();
  });

  test('does not leave memory while a call runs that waits for nothing but the object', async () => {
    const { CONTRACT } = env as unknown as { CONTRACT: DurableObjectNamespace };
    using stub = connectToSelf<ContractTarget>('/rpc/contract/busy');
    const held = stub.held(7);
    await stub.ran();
    const evicted = evictDurableObject(CONTRACT.getByName('busy'));
    stub.release();
    expect(await held).toBe(7);
    await evicted;
    // And then it does: a new life has run nothing yet.
    expect(await stub.add()).toBe(1);
  });

  test('serves nobody whose connection it has ended, though the client does not answer the close', async () => {
    const object = COUNTER.getByName('ended');
    const socket = await upgrade('/rpc/counter/ended');
    const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
    socket.accept({ allowHalfOpen: true });
    socket.send('no frame');
    expect(await closing).toMatchObject({ code: 1007 });
    await evictDurableObject(object);
    socket.send('[1,["increment",[]]]');
    socket.close();
    await vi.waitUntil(() => runInDurableObject(object, (_counter, ctx) => ctx.getWebSockets().length === 0));
    using counter = connectToSelf<CounterApi>('/rpc/counter/ended');
    expect(await counter.getValue()).toBe(0);
  });

  test('tells its class once that a connection has ended, though it leaves memory before the client answers the close', async () => {
    const object = tickerObject('told once');
    const socket = await upgrade('/rpc/ticker/told%20once');
    const closing = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }));
    socket.accept({ allowHalfOpen: true });
    const left = () => runInDurableObject(object, (_ticker, { storage }) => storage.kv.get('left'));
    await runInDurableObject(object, (ticker) => ticker.endAll());
    await closing;
    expect(await left()).toBe(1);
    await evictDurableObject(object);
    socket.close();
    await vi.waitUntil(() => runInDurableObject(object, (_ticker, ctx) => ctx.getWebSockets().length === 0));
    expect(await left()).toBe(1);
  });

  test('runs what a client has sent before it closed', async () => {
    const object = COUNTER.getByName('closed');
    const socket = await upgrade('/rpc/counter/closed');
    socket.accept();
    await evictDurableObject(object);
    for (let id = 1; id <= 3; id++) socket.send(`[${id},["increment",[]]]`);
    socket.close();
    await vi.waitUntil(() => runInDurableObject(object, (_counter, ctx) => ctx.getWebSockets().length === 0));
    using counter = connectToSelf<CounterApi>('/rpc/counter/closed');
    expect(await counter.getValue()).toBe(3);
  });

  test('gives a caller the same identity and connection as before', async () => {
    interface Guarded {
      whoAmI(): unknown;
      connectionId(): string;
    }
    const { GUARDED } = env as unknown as { GUARDED: DurableObjectNamespace };
    using guarded = connectToSelf<Guarded>('/guarded/guarded/one?user=ada');
    const before = await guarded.connectionId();
    await evictDurableObject(GUARDED.getByName('one'));
    expect(await guarded.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
    expect(await guarded.connectionId()).toBe(before);
  });
});
