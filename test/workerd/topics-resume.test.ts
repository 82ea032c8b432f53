import { runInDurableObject } from 'cloudflare:test';
import { type ConnectOptions, connection } from '@lumenize/rpc';
import { TestNetwork } from '@lumenize/rpc/testing';
import { describe, expect, test } from 'vitest';
import { connectToSelf } from './self-transport.ts';
import type { TickerApi } from './topics-object.ts';
import { events, evict, publish, take, tickerObject } from './topics-support.ts';

describe('a subscription whose connection is lost', () => {
  test('goes on behind what it was given last, with its reader none the wiser', async () => {
    using stub = quick('resumed');
    const seen: unknown[] = [];
    const subscribed = stub.subscribe();
    const reading = (async () => {
      for await (const item of subscribed) {
        seen.push(item);
        if (seen.length === 9) break;
      }
    })();
    await subscribed;
    for (let loss = 0; loss < 3; loss++) {
      await publish('resumed', 'prices', loss * 3 + 1, loss * 3 + 2);
      await evict('resumed', 'close');
      await publish('resumed', 'prices', loss * 3 + 3);
    }
    await reading;
    expect(seen).toEqual(events(1, 9));
    await stub.sequence();
    expect(await stub.subscribers()).toBe(0);
  });

  test('is told what it missed', async () => {
    using stub = quick('missed');
    const subscription = await stub.subscribeTo('latest');
    await publish('missed', 'latest', 1);
    expect(await take(subscription, 1)).toEqual(events(1, 1));
    const goneOn = opened(stub);
    await evict('missed', 'close');
    await publish('missed', 'latest', 2, 3);
    await goneOn;
    expect(await take(subscription, 1)).toEqual([{ sequence: 3, missed: 2 }]);
    await publish('missed', 'latest', 4);
    expect(await take(subscription, 1)).toEqual(events(4, 4));
  });

  test('throws what its method throws when it refuses', async () => {
    using stub = quick('refused');
    const subscription = await stub.subscribe();
    await stub.publish(1);
    await stub.close();
    await evict('refused', 'close');
    expect(await take(subscription, 1)).toEqual(events(1, 1));
    await expect(subscription.next()).rejects.toThrow(new RangeError('closed'));
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
    expect(await stub.subscribers()).toBe(0);
  });

  test('tries again where the server has too much to do', async () => {
    using stub = quick('busy');
    const subscription = await stub.subscribe();
    await stub.beBusy();
    await publish('busy', 'prices', 1);
    await evict('busy', 'close');
    await publish('busy', 'prices', 2);
    expect(await take(subscription, 2)).toEqual(events(1, 2));
  });

  test('tries again where the rate of calls is limited', async () => {
    using stub = quick('limited');
    const [subscription] = await Promise.all([stub.subscribe(), stub.sequence()]);
    const goneOn = opened(stub);
    // The object stays in memory, with what it has counted.
    await runInDurableObject(tickerObject('limited'), (object) => object.endAll());
    await goneOn;
    await publish('limited', 'prices', 1);
    expect(await take(subscription, 1)).toEqual(events(1, 1));
  });

  test('does so when it came by a chain of methods that may run again', async () => {
    using stub = quick('chain');
    const restorable = await stub.self().subscribe();
    const other = await stub.other().subscribe();
    const goneOn = opened(stub);
    await evict('chain', 'close');
    await goneOn;
    await stub.publish(1);
    expect(await take(restorable, 1)).toEqual(events(1, 1));
    // Nobody says that it may: so what it would do again is not done.
    await expect(other.next()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
  });

  test('makes no step of its chain again that has to run exactly once', async () => {
    using stub = quick('once-only');
    const subscription = await stub.subscribeTo(stub.newTopic());
    // With this call the client says that it has the result of the step, which the object then forgets.
    expect(await stub.newTopics()).toBe(1);
    await evict('once-only', 'close');
    await expect(subscription.next()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(await stub.newTopics()).toBe(1);
  });

  test('ends with its connection where it came through a stub that is lost', async () => {
    using stub = quick('bound');
    const other = await stub.other();
    const subscription = await other.subscribe();
    await evict('bound', 'close');
    await expect(subscription.next()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
  });

  test('does not go on when it has ended meanwhile', async () => {
    using stub = quick('ended');
    const [first, second] = await Promise.all([stub.subscribe(), stub.subscribeTo('other')]);
    const lost = left(stub);
    await evict('ended', 'close');
    await lost;
    first[Symbol.dispose]();
    // When its call has been made again, but not answered.
    await opened(stub);
    second[Symbol.dispose]();
    await stub.sequence();
    await stub.sequence();
    expect((await stub.present()).flat()).toEqual([]);
  });

  test('stays where one that ended before the loss was to be told with its call', async () => {
    const network = new TestNetwork();
    using stub = quick('crossing-loss', { wrapTransport: network.wrap });
    const ended = await stub.subscribe();
    ended[Symbol.dispose]();
    const subscribing = stub.subscribe();
    // The frame that tells of the end, and has the call, was not sent.
    network.cut();
    const subscription = await subscribing;
    await stub.sequence();
    expect(await stub.subscribers()).toBe(1);
    await stub.publish(1);
    expect(await take(subscription, 1)).toEqual(events(1, 1));
  });

  test('goes on with what it has not gone through yet', async () => {
    using stub = quick('behind');
    const subscription = await stub.subscribe();
    await stub.publishMany(1, 300);
    for (let loss = 0; loss < 3; loss++) {
      const goneOn = opened(stub);
      await evict('behind', 'close');
      await goneOn;
      await stub.publishMany(301 + loss * 100, 400 + loss * 100);
    }
    expect(await take(subscription, 600)).toEqual(events(1, 600));
  });

  test.each(['close()', 'using'])('ends without an error by one own %s', async (how) => {
    const seen: unknown[] = [];
    const stub = quick('own');
    const subscription = await stub.subscribe();
    await stub.publish(seen.length + 1);
    const reading = (async () => {
      for await (const item of subscription) {
        seen.push(item.event);
        if (how === 'using') stub[Symbol.dispose]();
        else connection(stub).close();
      }
    })();
    await reading;
    expect(seen).toEqual([1]);
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
  });

  test('ends where connections are not made again', async () => {
    using stub = connectToSelf<TickerApi>('/rpc/ticker/once', { reconnect: false });
    const subscription = await stub.subscribe();
    await evict('once', 'close');
    await expect(subscription.next()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
  });
});

/** A client that connects again at once. */
function quick(name: string, options?: ConnectOptions) {
  return connectToSelf<TickerApi>(`/rpc/ticker/${name}`, {
    reconnect: { minDelayMs: 1, maxDelayMs: 10 },
    ...options,
  });
}

/** Resolves when a connection is open the next time. */
function opened(stub: object): Promise<void> {
  return state(stub, (now) => now === 'open');
}

/** Resolves when a connection is open no more. */
function left(stub: object): Promise<void> {
  return state(stub, (now) => now !== 'open');
}

function state(stub: object, isWanted: (now: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = connection(stub).onStateChange((now) => {
      if (!isWanted(now)) return;
      stop();
      resolve();
    });
  });
}
