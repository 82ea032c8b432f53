import { runInDurableObject, SELF } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import { Journal } from '../../packages/rpc/src/server/topics/journal.ts';
import { connectToSelf } from './self-transport.ts';
import type { ComposedTickerApi, TickerApi } from './topics-object.ts';
import { events, take, ticker, tickerObject } from './topics-support.ts';

describe('a subscription', () => {
  test('gives what is published from then on, in order, to be gone through at once', async () => {
    using stub = ticker('first');
    expect(await stub.publish('before')).toBe(1);
    const seen: unknown[] = [];
    const publishing = (async () => {
      while ((await stub.subscribers()) === 0);
      await stub.publish('one');
      await stub.publish({ two: new Date(2) });
    })();
    for await (const item of stub.subscribe()) {
      seen.push(item);
      if (seen.length === 2) break;
    }
    await publishing;
    expect(seen).toEqual([
      { sequence: 2, event: 'one' },
      { sequence: 3, event: { two: new Date(2) } },
    ]);
    // Leaving the loop unsubscribes.
    expect(await stub.subscribers()).toBe(0);
  });

  test.each(['subscribe', 'subscribeLater'] as const)(
    'by %s since a number begins with what was retained after it',
    async (method) => {
      using stub = ticker(`since-${method}`);
      await stub.publishMany(1, 20);
      const some = await stub[method]({ since: 12 });
      expect(await take(some, 8)).toEqual(events(13, 20));
      const all = await stub[method]({ since: 0 });
      expect(await take(all, 20)).toEqual(events(1, 20));
      await stub.publish(21);
      expect(await take(some, 1)).toEqual(events(21, 21));
      expect(await take(all, 1)).toEqual(events(21, 21));
      expect([some.sequence, all.sequence]).toEqual([21, 21]);
    },
  );

  test('misses and doubles nothing that is published in the turn that it is made in', async () => {
    using stub = ticker('same-turn');
    const [, since, , live] = await Promise.all([
      stub.publish(1),
      stub.subscribe({ since: 0 }),
      stub.publish(2),
      stub.subscribe(),
      stub.publish(3),
    ]);
    expect(await take(since, 3)).toEqual(events(1, 3));
    expect(await take(live, 1)).toEqual(events(3, 3));
    const inside = await stub.subscribeAndPublish(4);
    expect(await take(inside, 1)).toEqual(events(4, 4));
    await stub.publish(5);
    for (const subscription of [since, live, inside]) expect((await take(subscription, 1)).length).toBe(1);
    expect([since.sequence, live.sequence, inside.sequence]).toEqual([4, 4, 5]);
  });

  test('misses nothing that its connection catches up with for another one in the same turn', async () => {
    using stub = ticker('catches-up');
    await stub.publish('before');
    const yielded = (await stub.subscriptionsAround('meanwhile'))[Symbol.asyncIterator]();
    const all = (await yielded.next()).value;
    const late = (await yielded.next()).value;
    await stub.publish('after');
    const [, ...since] = await take(all, 3);
    expect(since).toEqual([
      { sequence: 2, event: 'meanwhile' },
      { sequence: 3, event: 'after' },
    ]);
    expect(await take(late, 2)).toEqual(since);
  });

  test('misses nothing where others end in the turn that it is made in', async () => {
    using stub = ticker('others-end');
    const left = await Promise.all([stub.subscribe(), stub.subscribe()]);
    const calls = Promise.all([stub.subscribe(), stub.publish(1)]);
    for (const subscription of left) subscription[Symbol.dispose]();
    const [live] = await calls;
    expect(await take(live, 1)).toEqual(events(1, 1));
  });

  test('gives an event before the call that published it is answered', async () => {
    using stub = ticker('before-the-answer');
    using other = ticker('before-the-answer');
    for (const [round, publisher] of [stub, stub, other].entries()) {
      const seen: string[] = [];
      const subscription = await stub.subscribe();
      const reading = take(subscription, 1).then(() => seen.push('event'));
      const number = await publisher.publish(round);
      if (publisher === stub) seen.push('answer');
      await reading;
      expect([seen, number]).toEqual([publisher === stub ? ['event', 'answer'] : ['event'], round + 1]);
      subscription[Symbol.dispose]();
    }
  });

  test('gives a gap in place of what is not retained any more', async () => {
    using stub = ticker('gap');
    await stub.publishMany(1, 1010);
    const old = await stub.subscribe({ since: 3 });
    expect(await take(old, 2)).toEqual([{ sequence: 10, missed: 7 }, ...events(11, 11)]);
    old[Symbol.dispose]();
    const beyond = await stub.subscribe({ since: 5000 });
    // All that is retained follows: nobody knows which of them the subscriber has had.
    expect(await take(beyond, 2)).toEqual([{ sequence: 10, missed: Number.POSITIVE_INFINITY }, ...events(11, 11)]);
    beyond[Symbol.dispose]();
    await stub.publish(1011);
  });

  test('to a topic that retains nothing is told how much it missed', async () => {
    using stub = ticker('latest');
    expect(await stub.publishTo('latest', 'a', 'b', 'c')).toEqual([1, 2, 3]);
    const late = await stub.subscribeTo('latest', { since: 1 });
    expect(await take(late, 1)).toEqual([{ sequence: 3, missed: 2 }]);
    await stub.publishTo('latest', 'd');
    expect(await take(late, 1)).toEqual([{ sequence: 4, event: 'd' }]);
    expect(await rows('latest')).toEqual([{ topic: 'latest', first: 4, last: 4, events: null }]);
  });

  test('to a topic that retains nothing is given what is published after it in its turn', async () => {
    using stub = ticker('latest-turn');
    using other = ticker('latest-turn');
    const live = await other.subscribeTo('latest');
    await stub.publishTo('latest', 1);
    for (const event of [2, 3]) {
      expect(await take(await stub.subscribeAndPublish(event, 'latest'), 1)).toEqual(events(event, event));
    }
    const [, subscription] = await Promise.all([
      stub.publishTo('latest', 4),
      stub.subscribeTo('latest', { since: 3 }),
      stub.publishTo('latest', 5),
    ]);
    expect(await take(subscription, 2)).toEqual(events(4, 5));
    expect(await take(live, 5)).toEqual(events(1, 5));
  });

  test('stores an event with one statement, as its text, and looks with one whether it was rolled back', async () => {
    const seen = await runInDurableObject(tickerObject('statements'), (_object, { storage }) => {
      const statements: string[] = [];
      const exec = (statement: string, ...values: SqlStorageValue[]) => {
        statements.push(statement.slice(0, 6));
        return storage.sql.exec(statement, ...values);
      };
      const journal = new Journal({ sql: { exec } } as unknown as DurableObjectStorage, 'counted', 2);
      const numbers = ['"a"', '"b"', '"c"'].map((event) => [journal.append(event), journal.commitTurn()]);
      return { numbers, last: statements.slice(-2), events: journal.read(0, 10)?.events };
    });
    expect(seen).toEqual({
      numbers: [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
      last: ['UPDATE', 'SELECT'],
      events: ['"b"', '"c"'],
    });
    expect(await rows('statements')).toMatchObject([{ events: '"b"' }, { events: '"c"' }]);
  });

  test('refuses a since that is no position', async () => {
    using stub = ticker('refused');
    await stub.publish(1);
    const lists = [[], ['a.b'], [1, 'a.b'], ['a.b', -1], ['a.b', 1.5], ['a.b', '1'], [1, 1]];
    for (const since of [-1, 1.5, Number.NaN, null, '1', {}, ...lists]) {
      await expect(stub.subscribe({ since })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    }
    expect(await stub.subscribers()).toBe(0);
  });

  test('ends for the server when it is disposed of, returned, or its result is not wanted', async () => {
    using stub = ticker('disposed');
    const first = await stub.subscribe();
    const second = await stub.subscribe();
    expect(await stub.subscribers()).toBe(1);
    first[Symbol.dispose]();
    await stub.sequence();
    expect(await stub.subscribers()).toBe(1);
    const waiting = second.next();
    await second.return!();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await second.next()).toEqual({ done: true, value: undefined });
    await stub.sequence();
    expect(await stub.subscribers()).toBe(0);
    stub.subscribe()[Symbol.dispose]();
    // Once to have the result, and once to say that it is not wanted.
    await stub.sequence();
    await stub.sequence();
    expect(await stub.subscribers()).toBe(0);
  });

  test('that is made while another one ends stays', async () => {
    using stub = ticker('crossing');
    const first = await stub.subscribe();
    const second = stub.subscribe();
    first[Symbol.dispose]();
    const made = await second;
    expect(await stub.subscribers()).toBe(1);
    await stub.publish(1);
    expect(await take(made, 1)).toEqual(events(1, 1));
  });

  test('ends when this side closes its connection', async () => {
    const stub = ticker('closed');
    const subscription = await stub.subscribe();
    await stub.publish(1);
    const waiting = take(subscription, 1);
    expect(await waiting).toEqual(events(1, 1));
    connection(stub).close();
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
  });

  test('ends where the object ends the connection, over a binding too, and the next call makes another', async () => {
    using stub = connectBinding<TickerApi>(tickerObject('ended'));
    const subscription = await stub.subscribe();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    connection(stub).onStateChange((state) => state === 'idle' && resolve());
    await runInDurableObject(tickerObject('ended'), (object) => object.endAll());
    await ended;
    await expect(subscription.next()).rejects.toMatchObject({
      code: 'REFERENCE_LOST',
      message: expect.stringContaining('the server has ended the connection'),
    });
    expect(await stub.sequence()).toBe(0);
    expect(await stub.present()).toHaveLength(1);
  });

  test('works over a binding, and with hibernation off', async () => {
    using bound = connectBinding<TickerApi>(tickerObject('bound'));
    using accepted = connectToSelf<TickerApi>('/rpc/ticker-accept/accepted');
    for (const stub of [bound, accepted]) {
      await stub.publish(1);
      const subscription = await stub.subscribe({ since: 0 });
      await stub.publish(2);
      expect(await take(subscription, 2)).toEqual(events(1, 2));
      expect(await stub.present()).toEqual([['prices']]);
      subscription[Symbol.dispose]();
      await stub.sequence();
      expect(await stub.present()).toEqual([[]]);
    }
  });

  test('is refused where nothing outlives a request', async () => {
    const fetch = (url: string, init: RequestInit) => SELF.fetch(url, init);
    using stub = connectHttp<TickerApi>('http://worker.test/rpc/ticker/http', { fetch });
    await expect(stub.subscribe()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    expect(await stub.publish(1)).toBe(1);
  });

  test('is for the results of calls only, and comes from objects only', async () => {
    using stub = ticker('inward');
    // biome-ignore lint/suspicious/noExplicitAny: that it cannot be passed back is what is tested
    const subscription: any = await stub.subscribe();
    await expect(stub.publish(subscription)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  });

  test('can be the chunk of a stream, and arrives before its events', async () => {
    using stub = ticker('chunks');
    await stub.publishMany(1, 3);
    const seen: unknown[] = [];
    for await (const subscription of stub.subscriptions({ since: 0 }, { since: 2 })) {
      seen.push(await take(subscription as never, 1));
    }
    expect(seen).toEqual([events(1, 1), events(3, 3)]);
  });

  test('comes from a class that extends something else, too', async () => {
    using stub = connectToSelf<ComposedTickerApi>('/rpc/composed-ticker/one');
    await stub.publish('old');
    const news = await stub.subscribe();
    await stub.publish('new');
    expect((await take(news, 2)).map(({ event }) => event)).toEqual(['old', 'new']);
    connectToSelf<ComposedTickerApi>('/rpc/composed-ticker/one', { eager: true })[Symbol.dispose]();
    let seen = await stub.seen();
    while (seen.length < 3) seen = await stub.seen();
    // What a hook throws is told of, and harms nobody.
    expect(seen).toEqual(['came', 'came', 'onDisconnect: a defect of the class']);
    expect(await stub.connections()).toBe(1);
  });
});

async function rows(name: string): Promise<unknown[]> {
  return runInDurableObject(tickerObject(name), (_object, { storage }) =>
    storage.sql.exec('SELECT topic, first, last, events FROM lumenize_rpc_events').toArray(),
  );
}
