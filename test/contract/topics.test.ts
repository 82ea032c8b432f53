import { connect, connection } from '@lumenize/rpc';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ServedWorker } from '../support/workerd.ts';
import { serveContract } from './serve.ts';

let worker: ServedWorker;
let instance = 0;
// biome-ignore lint/suspicious/noExplicitAny: the types of clients come with the switch
let news: any;

beforeAll(async () => {
  worker = await serveContract();
});

afterAll(() => worker?.[Symbol.asyncDispose]());

beforeEach(() => {
  news = connect(worker.url(`/rpc/news/n${++instance}`), { reconnect: { minDelayMs: 10, maxDelayMs: 50 } });
  return () => news[Symbol.dispose]();
});

/** Takes the next items of a subscription. */
async function take(subscription: AsyncIterator<{ event?: unknown; missed?: number }>, count: number) {
  const items: unknown[] = [];
  while (items.length < count) {
    const { value } = await subscription.next();
    items.push(value.missed === undefined ? value.event : { missed: value.missed });
  }
  return items;
}

test('events arrive in order, with what was published before if that is asked for', async () => {
  await news.publish('a');
  const all = await news.subscribe({ since: 0 });
  const live = await news.subscribe();
  await Promise.all([news.publish({ at: new Date(0) }), news.publish(new Uint8Array([1, 2])), news.publish('d')]);
  const events = [{ at: new Date(0) }, new Uint8Array([1, 2]), 'd'];
  expect(await take(live, 3)).toEqual(events);
  expect(await take(all, 4)).toEqual(['a', ...events]);
});

test('events come before the answer of the call that publishes them', async () => {
  const subscription = await news.subscribe();
  const order: string[] = [];
  const reading = take(subscription, 1).then(() => order.push('event'));
  await news.publish('x').then(() => order.push('answer'));
  await reading;
  expect(order).toEqual(['event', 'answer']);
});

test('a subscription goes on over the next connection, and answers never come before the events of their calls', async () => {
  const subscription = await news.subscribe();
  const seen = new Set<unknown>();
  const reading = (async () => {
    for await (const { event } of subscription) {
      seen.add(event);
      if (event === 'last') return;
    }
  })();
  const late: number[] = [];
  for (let round = 0; round < 3; round++) {
    const calls = Array.from({ length: 10 }, async (_, n) => {
      const event = round * 10 + n;
      await news.publishOnce(event);
      if (!seen.has(event)) late.push(event);
    });
    await news.cut().catch(() => {});
    await Promise.all(calls);
  }
  await news.publish('last');
  await reading;
  expect(late).toEqual([]);
  expect([...seen]).toEqual([...Array.from({ length: 30 }, (_, n) => n), 'last']);
  expect(connection(news).statistics.reconnects).toBeGreaterThan(0);
});

test('a subscriber whose topic was emptied is told that it has missed events', async () => {
  const first = await news.subscribe({ since: 0 });
  for (let n = 0; n < 5; n++) await news.publish(n);
  await take(first, 5);
  const { position } = first;
  first.return();
  await news.wipe();
  for (let n = 0; n < 8; n++) await news.publish(`new ${n}`);
  const second = await news.subscribe({ since: position });
  const [gap] = await take(second, 1);
  expect(gap).toEqual({ missed: Number.POSITIVE_INFINITY });
});

test('leaving the loop unsubscribes', async () => {
  const subscription = await news.subscribe({ since: 0 });
  await news.publish('x');
  for await (const { event } of subscription) {
    expect(event).toBe('x');
    break;
  }
  expect(await news.subscribers()).toBe(0);
});

test('a reader that is far behind loses nothing', async () => {
  const subscription = await news.subscribe();
  const count = 1500;
  for (let n = 0; n < count; n += 100) await Promise.all(Array.from({ length: 100 }, (_, at) => news.publish(n + at)));
  // Those that are not retained any more are a gap, and nothing else is.
  const items = [];
  for (let expected = 0; expected < count; ) {
    const { value } = await subscription.next();
    if (value.missed !== undefined) expected += value.missed;
    else expect(value.event).toBe(expected++);
    items.push(value);
  }
  expect(items.length).toBeGreaterThan(1000);
});
