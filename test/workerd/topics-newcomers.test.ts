import { expect, test, vi } from 'vitest';
import { evict, numbers, take, ticker, tickerObject } from './topics-support.ts';

test('subscriptions that begin at the same time get what they have missed behind their own answers', async () => {
  using ada = ticker('newcomers');
  using bob = ticker('newcomers');
  await ada.publishMany(1, 5);
  const both = [ada.subscribeAtGate({ since: 0 }), bob.subscribeAtGate({ since: 0 })];
  await ada.openGate();
  for (const prices of await Promise.all(both)) {
    expect((await take(prices, 5)).map(({ event }) => event)).toEqual(numbers(1, 5));
  }
});

test('a subscription beside a promise counts once, and ends', async () => {
  using ada = ticker('beside');
  const { prices } = await ada.subscribeBeside();
  expect(await ada.topicsOfAll()).toEqual([['prices']]);
  prices[Symbol.dispose]();
  await vi.waitFor(async () => expect(await ada.topicsOfAll()).toEqual([[]]));
});

test('a subscription in a result that cannot be sent is none, also after hibernation', async () => {
  using ada = ticker('refused beside');
  await expect(ada.subscribeBeside(true)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  await evict('refused beside');
  expect([await ada.topicsOfAll(), await ada.subscribers()]).toEqual([[[]], 0]);
  expect(tickerObject('refused beside')).toBeDefined();
});

test('an answer that has no room beside others comes behind the event of its call', async () => {
  using ada = ticker('large answers');
  const order: unknown[] = [];
  const prices = await ada.subscribe();
  const reading = (async () => {
    for await (const { sequence } of prices) {
      order.push(sequence);
      if (sequence === 2) return;
    }
  })();
  const calls = [ada.publishAndReturn(400_000), ada.publishAndReturn(400_000)];
  await Promise.all(calls.map(async (call) => order.push((await call).length)));
  await reading;
  expect(order.indexOf(1)).toBeLessThan(order.indexOf(400_000));
});

test('a subscription that the object ends before its answer leaves ends', async () => {
  using ada = ticker('ended at once');
  const [prices] = await Promise.all([ada.subscribe(), ada.endSubscriptions()]);
  await expect(prices.next()).rejects.toMatchObject({ code: 'DENIED' });
  expect(await ada.topicsOfAll()).toEqual([[]]);
});
