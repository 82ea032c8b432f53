import type { Position, Stub, Subscription, TopicItem } from '@lumenize/rpc';
import { RpcObject, RpcTarget, type SubscribeOptions, type Topic } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';

interface Price {
  symbol: string;
  cents: number;
}

class Ticker extends RpcObject {
  readonly prices = this.topic<Price>('prices', { retain: 10 });
  override target(): TickerApi {
    return new TickerApi(this.prices);
  }
}

class TickerApi extends RpcTarget {
  readonly #prices: Topic<Price>;
  constructor(prices: Topic<Price>) {
    super();
    this.#prices = prices;
  }
  subscribe(options?: SubscribeOptions): Subscription<Price> {
    return this.#prices.subscribe(options);
  }
  async subscribeLater() {
    return this.#prices.subscribe({ since: 0 });
  }
  async *count(): AsyncGenerator<number> {
    yield 1;
  }
}

const ticker = {} as Stub<TickerApi>;

test('a topic takes events of its type, and tells their numbers', () => {
  const { prices } = {} as Ticker;
  expectTypeOf(prices.publish({ symbol: 'A', cents: 1 })).toEqualTypeOf<number>();
  // @ts-expect-error it is no price
  prices.publish({ symbol: 'A' });
});

test('a subscription arrives as it is, with items that say what they are', async () => {
  expectTypeOf(await ticker.subscribe()).toEqualTypeOf<Subscription<Price>>();
  expectTypeOf(await ticker.subscribeLater()).toEqualTypeOf<Subscription<Price>>();
  expectTypeOf((await ticker.subscribe()).sequence).toEqualTypeOf<number>();
  expectTypeOf((await ticker.subscribe()).position).toEqualTypeOf<Position>();
});

test('a subscription begins at a position, and not at a number', () => {
  const { prices } = {} as Ticker;
  void [ticker.subscribe({ since: prices.position }), ticker.subscribe({ since: 0 })];
  // @ts-expect-error a number does not say of which life of the topic it is
  ticker.subscribe({ since: prices.sequence });
});

test('a result can be gone through before it has arrived', async () => {
  for await (const item of ticker.subscribe({ since: ['a.b', 12] })) {
    expectTypeOf(item).toEqualTypeOf<TopicItem<Price>>();
    if (item.missed === undefined) expectTypeOf(item.event).toEqualTypeOf<Price>();
    else expectTypeOf(item.missed).toEqualTypeOf<number>();
  }
  for await (const item of ticker.subscribeLater()) expectTypeOf(item.sequence).toEqualTypeOf<number>();
  for await (const item of ticker.count()) expectTypeOf(item).toEqualTypeOf<number>();
});

test('a subscription has no members on the other side', () => {
  // @ts-expect-error it is not mapped there
  ticker.subscribe().map;
  // @ts-expect-error its number is known when it has arrived
  ticker.subscribe().sequence;
});
