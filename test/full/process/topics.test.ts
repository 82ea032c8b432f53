import {
  connect,
  connection,
  type Position,
  type Stub,
  type SubscribeOptions,
  type Subscription,
  type TopicItem,
} from '@lumenize/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedWorker, serveTestWorker } from '../../support/workerd.ts';

/** What is used here of `test/workerd/topics-object.ts`. */
interface TickerApi {
  subscribe(options?: SubscribeOptions): Subscription<unknown>;
  subscribeTo(name: string, options?: SubscribeOptions): Subscription<unknown>;
  publish(event: unknown): number;
  subscribers(): number;
  publishTo(name: string, ...events: unknown[]): number[];
}

describe('a topic of a server that is killed', { timeout: 60_000 }, () => {
  let worker: ServedWorker;

  beforeAll(async () => {
    worker = await serveTestWorker();
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  const ticker = (name: string): Stub<TickerApi> => connect<TickerApi>(worker.url(`/rpc/ticker/${name}`));

  test('has all events whose number was told, and gives no number twice', async () => {
    let last = 0;
    for (let kill = 0; kill < 3; kill++) {
      using stub = ticker('killed');
      for (let event = 0; event < 20; event++) {
        const number = await stub.publish(`event ${last + 1}`);
        expect(number).toBe(last + 1);
        last = number;
      }
      await worker.kill();
      await worker.restart();
    }
    using stub = ticker('killed');
    const items = await take(await stub.subscribe({ since: 0 }), last);
    expect(items).toEqual(items.map((_, place) => ({ sequence: place + 1, event: `event ${place + 1}` })));
  });

  test('that stores in batches shows a gap for what it lost, and gives no number twice', async () => {
    const told: number[] = [];
    let seen: readonly TopicItem<unknown>[];
    let since: Position;
    {
      using stub = ticker('batched');
      const subscription = await stub.subscribeTo('batched');
      told.push(...(await stub.publishTo('batched', ...Array.from({ length: 10 }, (_, place) => place + 1))));
      // Its answer shows that the row with the ten is stored; the three behind them are in memory only.
      told.push(...(await stub.publishTo('batched', 11, 12, 13)));
      seen = await take(subscription, 13);
      since = subscription.position;
      await worker.kill();
    }
    expect(seen.map(({ sequence }) => sequence)).toEqual(told);
    await worker.restart();
    using stub = ticker('batched');
    const [number] = await stub.publishTo('batched', 'after');
    expect(number).toBeGreaterThan(13);
    const whole = await take(await stub.subscribeTo('batched', { since: 0 }), 12);
    expect(whole.slice(0, 10)).toEqual(seen.slice(0, 10));
    expect(whole.slice(10)).toEqual([
      { sequence: number - 1, missed: number - 11 },
      { sequence: number, event: 'after' },
    ]);
    // Also who had seen them is told that there may have been more.
    expect(await take(await stub.subscribeTo('batched', { since }), 2)).toEqual([
      { sequence: number - 1, missed: number - 14 },
      { sequence: number, event: 'after' },
    ]);
  });

  test('goes on for its subscribers, who miss nothing and get nothing twice', async () => {
    using stub = ticker('resumed');
    using publisher = ticker('resumed');
    const [first, second] = await Promise.all([stub.subscribe(), stub.subscribe({ since: 0 })]);
    const readers = [first, second].map((subscription) => take(subscription, 60));
    let published = 0;
    for (let kill = 0; kill < 3; kill++) {
      for (let event = 0; event < 15; event++) expect(await publisher.publish(++published)).toBe(published);
      const goneOn = opened(stub);
      await worker.kill();
      await worker.restart();
      // Some before it has connected again, and some after that.
      for (let event = 0; event < 5; event++) expect(await publisher.publish(++published)).toBe(published);
      await goneOn;
    }
    for (const items of await Promise.all(readers)) {
      expect(items).toEqual(items.map((_, place) => ({ sequence: place + 1, event: place + 1 })));
    }
    expect(await publisher.subscribers()).toBe(1);
  });

  test('that is away for longer than calls wait loses no subscription', async () => {
    using stub = connect<TickerApi>(worker.url('/rpc/ticker/patient'), { maxWaitMs: 300 });
    const subscription = await stub.subscribe();
    await worker.kill();
    // Its end is that of the time that calls wait.
    await expect(stub.publish('not sent')).rejects.toThrow('maxWaitMs');
    const goneOn = opened(stub);
    await worker.restart();
    await goneOn;
    await stub.publish('here again');
    expect(await take(subscription, 1)).toEqual([{ sequence: 1, event: 'here again' }]);
  });
});

/** Resolves when a connection that was lost, or is about to be, is open again. */
function opened(stub: object): Promise<void> {
  return new Promise((resolve) => {
    const stop = connection(stub).onStateChange((state) => {
      if (state !== 'open') return;
      stop();
      resolve();
    });
  });
}

async function take<Event>(subscription: AsyncIterator<TopicItem<Event>>, count: number): Promise<TopicItem<Event>[]> {
  const items: TopicItem<Event>[] = [];
  while (items.length < count) items.push((await subscription.next()).value);
  return items;
}
