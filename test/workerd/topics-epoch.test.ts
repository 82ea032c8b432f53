import { runInDurableObject } from 'cloudflare:test';
import { connection, type Position } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import { connectToSelf } from './self-transport.ts';
import type { TickerApi, TickerObject } from './topics-object.ts';
import { crash, events, evict, numbers, publish, stored, take, ticker, tickerObject } from './topics-support.ts';

const TOPICS = ['prices', 'latest', 'batched'] as const;
const EVERYTHING = Number.POSITIVE_INFINITY;

/** Where a subscription is that has read this many events. */
async function positionAfter(name: string, topic: string, count: number): Promise<Position> {
  using stub = ticker(name);
  const subscription = await stub.subscribeTo(topic);
  await stub.publishTo(topic, ...numbers(1, count));
  await take(subscription, count);
  return subscription.position;
}

async function inObject(name: string, job: (object: TickerObject) => unknown): Promise<void> {
  await runInDurableObject(tickerObject(name), (object) => void job(object));
}

/** Empties the storage of a ticker, which then starts anew. */
async function empty(name: string): Promise<void> {
  await runInDurableObject(tickerObject(name), (_object, { storage }) => storage.deleteAll());
  await crash(name);
}

/** The rows of the topics of a ticker; what is returned puts them back, and starts the object anew. */
async function bookmark(name: string): Promise<() => Promise<void>> {
  const tables = ['lumenize_rpc_events', 'lumenize_rpc_numbers'];
  const rows = await runInDurableObject(tickerObject(name), (_object, { storage }) =>
    tables.map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
  );
  return async () => {
    await runInDurableObject(tickerObject(name), (_object, { storage }) => {
      for (const [place, table] of tables.entries()) {
        storage.sql.exec(`DELETE FROM ${table}`);
        for (const row of rows[place]) {
          const columns = Object.keys(row);
          const values = columns.map(() => '?').join();
          storage.sql.exec(`INSERT INTO ${table} (${columns}) VALUES (${values})`, ...Object.values(row));
        }
      }
    });
    await crash(name);
  };
}

describe.each(TOPICS)('a position in the topic %s', (topic) => {
  const retains = topic !== 'latest';
  /** What a subscriber is given who knows nothing of events 1 to `count`. */
  const anew = (count: number) =>
    retains ? [{ sequence: 0, missed: EVERYTHING }, ...events(1, count)] : [{ sequence: count, missed: EVERYTHING }];

  test('from before deleteAll() is answered with a gap', async () => {
    const name = `emptied ${topic}`;
    const since = await positionAfter(name, topic, 5);
    await empty(name);
    using stub = ticker(name);
    await stub.publishTo(topic, ...numbers(1, 8));
    expect(await take(await stub.subscribeTo(topic, { since }), anew(8).length)).toEqual(anew(8));
  });

  test('of another object, or of another topic, is answered with a gap', async () => {
    const since = await positionAfter(`another ${topic}`, topic, 5);
    using stub = ticker(`this ${topic}`);
    await stub.publishTo(topic, ...numbers(1, 8));
    expect(await take(await stub.subscribeTo(topic, { since }), anew(8).length)).toEqual(anew(8));
    const other = topic === 'prices' ? 'another' : 'prices';
    await stub.publishTo(other, ...numbers(1, 8));
    const [gap] = await take(await stub.subscribeTo(other, { since }), 1);
    expect(gap).toMatchObject({ missed: EVERYTHING });
  });

  test('from after the moment to which the storage was restored is answered with a gap', async () => {
    const name = `restored ${topic}`;
    await positionAfter(name, topic, 3);
    await evict(name);
    const restore = await bookmark(name);
    let later: Position;
    {
      using stub = ticker(name);
      const subscription = await stub.subscribeTo(topic);
      await stub.publishTo(topic, 4, 5);
      await take(subscription, 2);
      later = subscription.position;
      await evict(name);
    }
    await restore();
    using stub = ticker(name);
    await stub.publishTo(topic, ...numbers(4, 8));
    const [gap] = await take(await stub.subscribeTo(topic, { since: later }), 1);
    // Where nothing is retained, nobody can say of what life the events between are.
    expect(gap.missed).toBe(retains ? EVERYTHING : gap.sequence - 5);
  });

  test('from before that moment goes on, if the events since are retained', async () => {
    const name = `kept ${topic}`;
    const since = await positionAfter(name, topic, 3);
    await evict(name);
    const restore = await bookmark(name);
    await publish(name, topic, 4, 5);
    await evict(name);
    await restore();
    using stub = ticker(name);
    const [next] = await stub.publishTo(topic, 'other');
    const expected = retains ? { sequence: next, event: 'other' } : { sequence: next, missed: 1 };
    expect(await take(await stub.subscribeTo(topic, { since }), 1)).toEqual([expected]);
  });

  test('goes on however often the object sleeps, also where an older run of it is not retained', async () => {
    const name = `slept ${topic}`;
    let since: Position = ['', 0];
    using stub = ticker(name);
    for (const number of numbers(1, 3)) {
      await stub.publishTo(topic, number);
      await evict(name);
      const subscription = await stub.subscribeTo(topic, { since });
      const expected = retains ? events(number, number) : [{ sequence: number, missed: 1 }];
      expect(await take(subscription, 1)).toEqual(expected);
      since = subscription.position;
    }
  });
});

test('a subscription over an open connection is told when its topic begins anew', async () => {
  using stub = ticker('emptied below');
  const subscription = await stub.subscribeTo('prices');
  await stub.publishMany(1, 5);
  await take(subscription, 5);
  await inObject('emptied below', ({ storage }) => storage.deleteAll());
  await evict('emptied below');
  await stub.publishMany(1, 3);
  expect(await take(subscription, 4)).toEqual([{ sequence: 0, missed: EVERYTHING }, ...events(1, 3)]);
});

test('a subscription that goes on over another connection is told when its topic began anew', async () => {
  using stub = connectToSelf<TickerApi>('/rpc/ticker/emptied-away', { reconnect: { minDelayMs: 1, maxDelayMs: 10 } });
  const subscription = await stub.subscribeTo('prices');
  await stub.publishMany(1, 5);
  await take(subscription, 5);
  await inObject('emptied-away', ({ storage }) => storage.deleteAll());
  const away = new Promise<void>(
    (resolve) => void connection(stub).onStateChange((state) => state !== 'open' && resolve()),
  );
  await crash('emptied-away');
  await away;
  await publish('emptied-away', 'prices', ...numbers(1, 8));
  expect(await take(subscription, 1)).toEqual([{ sequence: 0, missed: EVERYTHING }]);
  expect((await take(subscription, 8)).map(({ event }) => event)).toEqual(numbers(1, 8));
});

test.each(['deleteAll()', 'delete()'])(
  'a topic that %s empties begins anew while its object stays in memory',
  async (how) => {
    const name = `in memory ${how}`;
    using stub = ticker(name);
    const subscription = await stub.subscribeTo('prices', { since: 0 });
    await stub.publishMany(1, 5);
    await take(subscription, 5);
    const since = subscription.position;
    await inObject(name, (object) => (how === 'delete()' ? object.prices.delete() : object.storage.deleteAll()));
    expect(await stored(name, 'prices').catch(() => [])).toEqual([]);
    await stub.publishMany(6, 7);
    const told = [{ sequence: 5, missed: EVERYTHING }, ...events(6, 7)];
    expect(await take(subscription, 3)).toEqual(told);
    expect(await take(await stub.subscribeTo('prices', { since }), 3)).toEqual(told);
  },
);

test('a topic that is deleted is forgotten, with its rows and its name, and others are not', async () => {
  const name = 'deleted';
  await publish(name, 'one', 1, 2);
  await publish(name, 'other', 1);
  await inObject(name, (object) => {
    const one = object.named('one');
    one.delete();
    expect(object.named('one')).not.toBe(one);
    expect(object.named('one').position[1]).toBe(0);
    // Whoever still has the one from before can go on with it.
    one.publish('again');
    expect(object.named('one').sequence).toBe(one.sequence);
  });
  expect(await stored(name, 'other')).toEqual([{ first: 1, last: 1 }]);
  expect(await stored(name, 'one')).toHaveLength(1);
});

test('a topic that is deleted has the same subscribers as the one of its name that comes behind it', async () => {
  const name = 'deleted, and subscribed to';
  using ada = ticker(name);
  await inObject(name, ({ prices }) => prices.delete());
  const subscription = await ada.subscribe(); // by the one from before
  expect(await ada.subscribers()).toBe(1); // by another one
  await ada.publishTo('prices', 'new');
  expect(await take(subscription, 1)).toMatchObject([{ event: 'new' }]);
  subscription[Symbol.dispose]();
  await vi.waitFor(async () => expect(await ada.subscribers()).toBe(0));
  await inObject(name, ({ prices }) => expect(prices.subscribers).toBe(0));
});

test('a connection that ends is no subscriber of a topic that was deleted before', async () => {
  const name = 'deleted, and left';
  await inObject(name, ({ prices }) => prices.delete());
  const ada = ticker(name);
  await ada.subscribe();
  connection(ada).close();
  using bob = ticker(name);
  await vi.waitFor(async () => expect(await bob.present()).toEqual([[]]));
  await inObject(name, ({ prices }) => expect(prices.subscribers).toBe(0));
});

test('a batched topic that is deleted stores nothing of what it had not stored yet', async () => {
  const name = 'deleted batch';
  using stub = ticker(name);
  await stub.publishTo('batched', 1, 2);
  await inObject(name, ({ batched }) => batched.delete());
  await evict(name);
  expect(await stored(name, 'batched')).toEqual([]);
  await stub.publishTo('batched', 'new');
  expect(await take(await stub.subscribeTo('batched', { since: 0 }), 1)).toMatchObject([{ event: 'new' }]);
});
