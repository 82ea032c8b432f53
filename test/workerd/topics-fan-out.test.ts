import { runInDurableObject } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import type { RpcMetrics } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import { connectToSelf, upgrade } from './self-transport.ts';
import type { TickerApi } from './topics-object.ts';
import { events, evict, take, ticker, tickerObject } from './topics-support.ts';

/** `subscribe()` as the first call of a connection. */
const SUBSCRIBE = '[1,["subscribe",[]]]';

/** Subscribes over a socket without a client, and returns the frames that arrive. */
async function subscribeRaw(name: string): Promise<{ frames: string[]; arrived(count: number): Promise<void> }> {
  const socket = await upgrade(`/rpc/ticker/${name}`);
  const frames: string[] = [];
  let wake = () => {};
  socket.addEventListener('message', ({ data }) => {
    frames.push(data as string);
    wake();
  });
  socket.accept();
  const arrived = async (count: number) => {
    while (frames.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  socket.send(SUBSCRIBE);
  await arrived(1);
  return { frames, arrived };
}

describe('events', () => {
  test('of one turn are encoded once each, and go as one frame of the same bytes to every subscriber', async () => {
    using stub = ticker('same');
    const subscribers = await Promise.all(Array.from({ length: 20 }, () => subscribeRaw('same')));
    expect(await stub.subscribers()).toBe(20);
    await Promise.all([stub.publishCounted(), stub.publish('two'), stub.publishCounted()]);
    await Promise.all(subscribers.map(({ arrived }) => arrived(2)));
    // Nothing more comes with the next answer.
    await stub.publish('last');
    await Promise.all(subscribers.map(({ arrived }) => arrived(3)));
    expect(new Set(subscribers.map(({ frames }) => frames.slice(1).join())).size).toBe(1);
    expect(subscribers.map(({ frames }) => frames.length)).toEqual(subscribers.map(() => 3));
    const reader = await stub.subscribe({ since: 0 });
    // Each asks once what the value is.
    expect((await take(reader, 3)).map(({ event }) => event)).toEqual([{ encodings: 1 }, 'two', { encodings: 2 }]);
  });

  test('reach a thousand subscribers of one object, in order', { timeout: 180_000 }, async () => {
    const stubs = Array.from({ length: 1000 }, () => ticker('thousand'));
    const subscriptions = await Promise.all(stubs.map((stub) => stub.subscribe()));
    expect(await stubs[0].subscribers()).toBe(1000);
    const before = stubs.map((stub) => connection(stub).statistics.framesReceived);
    for (let event = 1; event <= 3; event++) await stubs[0].publish(event);
    const seen = await Promise.all(subscriptions.map((subscription) => take(subscription, 3)));
    expect(new Set(seen.map((items) => JSON.stringify(items)))).toEqual(new Set([JSON.stringify(events(1, 3))]));
    const frames = stubs.map((stub, place) => connection(stub).statistics.framesReceived - before[place]);
    expect(new Set(frames.slice(1))).toEqual(new Set([3]));
    for (const stub of stubs) stub[Symbol.dispose]();
  });

  test('that are large arrive', async () => {
    using stub = ticker('large');
    const subscription = await stub.subscribe();
    await runInDurableObject(tickerObject('large'), (object) => {
      for (let event = 1; event <= 12; event++) object.prices.publish(new Uint8Array(1_000_000).fill(event));
    });
    const items = await take(subscription, 12);
    expect(items.map(({ event }) => (event as Uint8Array)[999_999])).toEqual(items.map(({ sequence }) => sequence));
  });
});

describe('a subscription of an object that hibernates', () => {
  test('goes on when the object wakes to publish', async () => {
    using stub = ticker('sleeper');
    const subscription = await stub.subscribe();
    await stub.publish(1);
    expect(await take(subscription, 1)).toEqual(events(1, 1));
    await evict('sleeper');
    await runInDurableObject(tickerObject('sleeper'), (object) => {
      expect(object.prices.subscribers).toBe(1);
      object.prices.publish(2);
    });
    expect(await take(subscription, 1)).toEqual(events(2, 2));
    await evict('sleeper');
    expect(await stub.publish(3)).toBe(3);
    expect(await take(subscription, 1)).toEqual(events(3, 3));
    subscription[Symbol.dispose]();
    await stub.sequence();
    await evict('sleeper');
    expect(await stub.subscribers()).toBe(0);
  });

  test('stays behind, and catches up when its reader does', async () => {
    using stub = ticker('slow-sleeper');
    const subscription = await stub.subscribe();
    for (let event = 1; event <= 300; event++) await stub.publish(event);
    await evict('slow-sleeper');
    for (let event = 301; event <= 400; event++) await stub.publish(event);
    expect(await take(subscription, 400)).toEqual(events(1, 400));
  });
});

describe('a subscriber that is slow', () => {
  test('is sent no more than it keeps unread, and then gets the rest from what is retained', async () => {
    using publisher = ticker('slow');
    using slow = ticker('slow');
    using quick = ticker('slow');
    const reader = await slow.subscribe();
    const live = await quick.subscribe();
    const before = connection(slow).statistics.framesReceived;
    for (let event = 1; event <= 1200; event++) {
      await publisher.publish(event);
      await live.next();
    }
    // An answer comes behind all that was sent.
    await slow.sequence();
    expect(connection(slow).statistics.framesReceived - before).toBe(1001 + 1);
    expect(await take(reader, 1200)).toEqual(events(1, 1200));
    await publisher.publish(1201);
    expect(await take(reader, 1)).toEqual(events(1201, 1201));
  });

  test('gets a gap for what was not retained that long', async () => {
    using stub = ticker('too-slow');
    const reader = await stub.subscribe();
    for (let turn = 0; turn < 30; turn++) await stub.publishMany(turn * 100 + 1, turn * 100 + 100);
    // Eleven turns are more than it keeps unread.
    expect(await take(reader, 1100)).toEqual(events(1, 1100));
    expect(await take(reader, 1001)).toEqual([{ sequence: 2000, missed: 900 }, ...events(2001, 3000)]);
  });

  test('and asks for more without reading anything is sent no more than may be unread', async () => {
    using publisher = ticker('unread');
    for (let turn = 0; turn < 12; turn++) await publisher.publishBytes(100_000, 1);
    const before = await bytesSent('unread');
    const socket = await upgrade('/rpc/ticker/unread');
    socket.accept();
    // Asks for 120 MB, and answers no question.
    for (let id = 1; id <= 100; id++) socket.send(`[${id},["subscribe",[{"since":0}]]]`);
    socket.close();
    while ((await publisher.present()).length > 1);
    expect((await bytesSent('unread')) - before).toBeLessThan(20_000_000);
  });
});

describe('a connection', () => {
  test('has a bounded number of subscriptions, and none too many is kept', async () => {
    using stub = ticker('bounded');
    const names = Array.from({ length: 100 }, (_, place) => `topic ${place}`);
    const subscriptions = await Promise.all(names.map((name) => stub.subscribeTo(name)));
    await expect(stub.subscribeTo('one more')).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('maxSubscriptions of 100'),
    });
    subscriptions[7][Symbol.dispose]();
    await stub.sequence();
    const another = await stub.subscribeTo('one more');
    await stub.publishTo('one more', 1);
    expect(await take(another, 1)).toEqual(events(1, 1));
  });

  test('has no more of them than its socket can carry the names of', async () => {
    using stub = ticker('long names');
    const names = Array.from({ length: 20 }, (_, place) => `${place}`.padEnd(1000, '-'));
    const outcomes = await Promise.allSettled(names.map((name) => stub.subscribeTo(name)));
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(2);
    expect(refused).toEqual(
      refused.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('no room') }),
      })),
    );
    const kept = outcomes.length - refused.length;
    expect((await stub.present())[0].length).toBe(kept);
    await evict('long names');
    expect((await stub.present())[0].length).toBe(kept);
    expect(await stub.subscribers(names[0])).toBe(1);
    expect(outcomes.length).toBe(names.length);
  });

  test('is listed with what it is subscribed to, also by an object that has just woken', async () => {
    using one = ticker('present');
    using two = ticker('present');
    using _prices = await one.subscribe();
    await two.sequence();
    expect((await one.present()).sort()).toEqual([[], ['prices']]);
    await evict('present');
    expect((await one.present()).sort()).toEqual([[], ['prices']]);
    expect(await one.subscribers()).toBe(1);
  });

  test.each(['ticker', 'ticker-accept'])('is told of when it comes and when it has gone: %s', async (binding) => {
    const path = `/rpc/${binding}/hooks`;
    using watcher = connectToSelf<TickerApi>(path);
    expect(await watcher.came()).toEqual([1, 0]);
    const stub = connectToSelf<TickerApi>(path);
    using _prices = await stub.subscribe();
    expect(await watcher.came()).toEqual([2, 0]);
    if (binding === 'ticker') await evict('hooks');
    stub[Symbol.dispose]();
    let seen = await watcher.came();
    while (seen[1] === 0) seen = await watcher.came();
    expect(seen).toEqual([2, 1]);
    expect(await watcher.present()).toEqual([[]]);
    expect(await watcher.subscribers()).toBe(0);
  });
});

/** The bytes that a ticker has sent since it woke. */
function bytesSent(name: string): Promise<number> {
  return runInDurableObject(tickerObject(name), (object) => {
    return (object as object as { rpcMetrics: RpcMetrics }).rpcMetrics.bytesSent;
  });
}
