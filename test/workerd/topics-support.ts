import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import type { Stub, TopicItem } from '@lumenize/rpc';
import { expect } from 'vitest';
import { connectToSelf } from './self-transport.ts';
import type { TickerApi, TickerObject } from './topics-object.ts';

const { TICKER } = env as unknown as { TICKER: DurableObjectNamespace<TickerObject> };

/** Connects to a ticker. */
export function ticker(name: string): Stub<TickerApi> {
  return connectToSelf<TickerApi>(`/rpc/ticker/${name}`);
}

export function tickerObject(name: string): DurableObjectStub<TickerObject> {
  return TICKER.getByName(name);
}

/** Has a ticker leave memory; with `close` it loses its sockets, too. */
export async function evict(name: string, webSockets: 'hibernate' | 'close' = 'hibernate'): Promise<void> {
  await evictDurableObject(tickerObject(name), { webSockets });
}

/** Ends a ticker as a crash does, with what is only in memory. */
export async function crash(name: string): Promise<void> {
  const message = 'a crash';
  await expect(runInDurableObject(tickerObject(name), (_object, state) => state.abort(message))).rejects.toThrow(
    message,
  );
}

/** What a ticker has stored of a topic. */
export async function stored(name: string, topic: string): Promise<{ first: number; last: number }[]> {
  return runInDurableObject(tickerObject(name), (_object, { storage }) =>
    storage.sql
      .exec<{ first: number; last: number }>(
        'SELECT first, last FROM lumenize_rpc_events WHERE topic = ? ORDER BY last',
        topic,
      )
      .toArray(),
  );
}

/** Publishes from inside of a ticker: also where connections have just been lost. */
export async function publish(name: string, topic: string, ...published: unknown[]): Promise<void> {
  await runInDurableObject(tickerObject(name), (object) => {
    for (const event of published) object.named(topic).publish(event);
  });
}

/** Takes the next items of a subscription. */
export async function take<Event>(
  subscription: AsyncIterator<TopicItem<Event>>,
  count: number,
): Promise<TopicItem<Event>[]> {
  const items: TopicItem<Event>[] = [];
  while (items.length < count) items.push((await subscription.next()).value);
  return items;
}

export function numbers(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}

/** The items of events that are their own numbers. */
export function events(first: number, last: number): TopicItem<unknown>[] {
  return numbers(first, last).map((number) => ({ sequence: number, event: number }));
}
