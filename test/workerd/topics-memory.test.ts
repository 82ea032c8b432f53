import { runInDurableObject } from 'cloudflare:test';
import { expect, test } from 'vitest';
import { evict, publish, take, ticker, tickerObject } from './topics-support.ts';

/** Declares a topic that stores nothing. */
function declare(name: string): Promise<void> {
  return runInDurableObject(tickerObject(name), (object) => void object.declared('fleeting here', { persist: false }));
}

/** The tables of events that an object has. */
function tables(name: string): Promise<unknown[]> {
  return runInDurableObject(tickerObject(name), ({ storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'lumenize_rpc_%'").toArray(),
  );
}

test('a topic that stores nothing gives its subscribers each event, in order', async () => {
  await declare('in order');
  using stub = ticker('in order');
  const subscriptions = [await stub.subscribeTo('fleeting here'), await stub.subscribeTo('fleeting here')];
  await publish('in order', 'fleeting here', 'a', 'b');
  await publish('in order', 'fleeting here', 'c');
  for (const subscription of subscriptions) {
    expect(await take(subscription, 3)).toEqual([
      { sequence: 1, event: 'a' },
      { sequence: 2, event: 'b' },
      { sequence: 3, event: 'c' },
    ]);
  }
  expect(await tables('in order')).toEqual([]);
});

test('a subscriber that was away gets a gap of as many events', async () => {
  await declare('away');
  using stub = ticker('away');
  await publish('away', 'fleeting here', 1, 2, 3);
  const { position } = await stub.subscribeTo('fleeting here');
  await publish('away', 'fleeting here', 4, 5);
  const later = await stub.subscribeTo('fleeting here', { since: position });
  expect(await take(later, 1)).toEqual([{ sequence: 5, missed: 2 }]);
  const all = await stub.subscribeTo('fleeting here', { since: 0 });
  expect(await take(all, 1)).toEqual([{ sequence: 5, missed: 5 }]);
  await publish('away', 'fleeting here', 6);
  expect(await take(later, 1)).toEqual([{ sequence: 6, event: 6 }]);
});

test('an object that was not in memory has its subscribers, and begins anew for them', async () => {
  await declare('evicted');
  using stub = ticker('evicted');
  const subscription = await stub.subscribeTo('fleeting here');
  await publish('evicted', 'fleeting here', 'before');
  expect(await take(subscription, 1)).toEqual([{ sequence: 1, event: 'before' }]);
  await evict('evicted');
  await declare('evicted');
  await publish('evicted', 'fleeting here', 'after');
  expect(await take(subscription, 2)).toEqual([
    { sequence: 0, missed: Number.POSITIVE_INFINITY },
    { sequence: 1, event: 'after' },
  ]);
  expect(await tables('evicted')).toEqual([]);
});

test('its events are sent whatever becomes of a transaction', async () => {
  await declare('rolled back');
  using stub = ticker('rolled back');
  const subscription = await stub.subscribeTo('fleeting here');
  await runInDurableObject(tickerObject('rolled back'), (object) => {
    const publishAndFail = () => {
      object.named('fleeting here').publish('in it');
      throw new Error('rolled back');
    };
    expect(() => object.storage.transactionSync(publishAndFail)).toThrow('rolled back');
  });
  expect(await take(subscription, 1)).toEqual([{ sequence: 1, event: 'in it' }]);
});

test('a topic that is deleted gives no number twice', async () => {
  await declare('deleted');
  using stub = ticker('deleted');
  const subscription = await stub.subscribeTo('fleeting here');
  await publish('deleted', 'fleeting here', 1);
  await runInDurableObject(tickerObject('deleted'), (object) => object.named('fleeting here').delete());
  await publish('deleted', 'fleeting here', 2);
  expect(await take(subscription, 2)).toEqual([
    { sequence: 1, event: 1 },
    { sequence: 2, event: 2 },
  ]);
});
