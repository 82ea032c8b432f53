import { runInDurableObject } from 'cloudflare:test';
import type { TopicOptions } from '@lumenize/rpc/server';
import { createRpcServer, RpcTarget } from '@lumenize/rpc/server';
import { describe, expect, test, vi } from 'vitest';
import type { TickerObject } from './topics-object.ts';
import { crash, events, evict, numbers, stored, take, ticker, tickerObject } from './topics-support.ts';

describe('what is published', () => {
  test('in a transaction that is rolled back is not sent, and its number goes to the next event', async () => {
    using stub = ticker('rolled-back');
    const subscription = await stub.subscribe();
    await stub.rollBack('lost');
    expect(await stub.rollBack('lost', 1)).toBe(1);
    await stub.publish(2);
    expect(await take(subscription, 2)).toEqual(events(1, 2));
    expect(await stored('rolled-back', 'prices')).toEqual([
      { first: 1, last: 1 },
      { first: 2, last: 2 },
    ]);
  });

  test('takes one written row each, also when the oldest is replaced', async () => {
    using stub = ticker('rows');
    await stub.publishMany(1, 1);
    const written = await runInDurableObject(tickerObject('rows'), async (object) => {
      const counts: number[] = [];
      const sql = object.storage.sql;
      const exec = sql.exec.bind(sql);
      const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
      sql.exec = ((query: string, ...values: unknown[]) => {
        const cursor = exec(query, ...values);
        cursors.push(cursor);
        return cursor;
      }) as typeof sql.exec;
      for (let event = 2; event <= 1003; event++) {
        object.prices.publish(event);
        counts.push(cursors.splice(0).reduce((sum, { rowsWritten }) => sum + rowsWritten, 0));
      }
      return counts;
    });
    expect(new Set(written)).toEqual(new Set([1]));
    expect(written.length).toBe(1002);
    const rows = await stored('rows', 'prices');
    expect([rows.length, rows[0]]).toEqual([1000, { first: 4, last: 4 }]);
  });

  test('has a number that is never given again, whatever becomes of the object', async () => {
    using stub = ticker('numbers');
    expect(await stub.publishTo('latest', 'a', 'b')).toEqual([1, 2]);
    expect(await stub.publishMany(1, 3)).toBe(3);
    await evict('numbers');
    expect(await stub.publishTo('latest', 'c')).toEqual([3]);
    expect(await stub.publish(4)).toBe(4);
  });

  test('has to be a value, and no larger than a row', async () => {
    using stub = ticker('values');
    await expect(stub.publishWhatIsNone()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    await runInDurableObject(tickerObject('values'), (object) => {
      const message = 'an event of prices: at value.rows[1].total: functions cannot be cloned: pass what they return';
      const rows = [{ total: 1 }, { total: () => 2 }];
      expect(() => object.prices.publish({ rows })).toThrow(
        expect.objectContaining({ code: 'NOT_CLONEABLE', message }),
      );
    });
    await expect(stub.publish(new Uint8Array(2_000_000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await stub.publish(new Uint8Array(1_800_000))).toBe(1);
  });
});

describe('a topic', () => {
  /** Declares a topic as a class would that was deployed anew. */
  function redeclared(object: TickerObject, options: TopicOptions) {
    const { ctx } = object as unknown as { ctx: DurableObjectState };
    return createRpcServer(ctx, { target: () => new (class extends RpcTarget {})() }).topic<unknown>('prices', options);
  }

  test('that retains less than before drops the oldest, and more from then on', async () => {
    using stub = ticker('retain');
    await stub.publishMany(1, 20);
    await runInDurableObject(tickerObject('retain'), (object) => {
      expect(redeclared(object, { retain: 5 }).publish(21)).toBe(21);
    });
    expect((await stored('retain', 'prices')).map(({ last }) => last)).toEqual([17, 18, 19, 20, 21]);
    await runInDurableObject(tickerObject('retain'), (object) => {
      const prices = redeclared(object, { retain: 8 });
      for (let event = 22; event <= 30; event++) expect(prices.publish(event)).toBe(event);
    });
    expect((await stored('retain', 'prices')).map(({ last }) => last)).toEqual([23, 24, 25, 26, 27, 28, 29, 30]);
    await runInDurableObject(tickerObject('retain'), (object) => {
      const prices = redeclared(object, { retain: 0 });
      expect([prices.publish(31), prices.publish(32)]).toEqual([31, 32]);
    });
    expect(await stored('retain', 'prices')).toEqual([{ first: 32, last: 32 }]);
  });

  test('refuses to retain what is no number of events', async () => {
    using stub = ticker('no-number');
    await stub.sequence();
    await runInDurableObject(tickerObject('no-number'), (object) => {
      for (const retain of [-1, 1.5, Number.NaN]) expect(() => redeclared(object, { retain })).toThrow(TypeError);
    });
  });
});

describe('a topic that stores in batches', () => {
  test('sends at once, stores many events in a row, and gives them again', async () => {
    using stub = ticker('batched');
    const subscription = await stub.subscribeTo('batched');
    expect(await stub.publishTo('batched', ...numbers(1, 10))).toEqual(numbers(1, 10));
    expect(await take(subscription, 10)).toEqual(events(1, 10));
    expect(await stored('batched', 'batched')).toEqual([{ first: 1, last: 10 }]);
    await stub.publishTo('batched', 11, 12);
    expect(await take(subscription, 2)).toEqual(events(11, 12));
    // The rest is still in memory.
    expect(await stored('batched', 'batched')).toEqual([{ first: 1, last: 10 }]);
    expect(await take(await stub.subscribeTo('batched', { since: 5 }), 7)).toEqual(events(6, 12));
  });

  test('divides events among rows by their bytes, of which a letter may have three', async () => {
    using stub = ticker('batched-bytes');
    const event = '\u8a9e'.repeat(99_000);
    await stub.publishTo('batched', ...Array.from({ length: 10 }, () => event));
    const sizes = await runInDurableObject(tickerObject('batched-bytes'), (_, { storage }) =>
      storage.sql.exec('SELECT first, last, length(events) AS bytes FROM lumenize_rpc_events').toArray(),
    );
    // The platform stores up to 2 MB in a row.
    for (const { bytes } of sizes) expect(bytes).toBeLessThan(2_000_000);
    expect(await take(await stub.subscribeTo('batched', { since: 9 }), 1)).toEqual([{ sequence: 10, event }]);
  });

  test('stores what is left before it leaves memory, and goes on without a gap', async () => {
    using stub = ticker('batched-idle');
    await stub.publishTo('batched', 1, 2, 3);
    // Waits until no timer runs any more.
    await evict('batched-idle');
    expect(await stored('batched-idle', 'batched')).toEqual([{ first: 1, last: 3 }]);
    expect(await stub.publishTo('batched', 4)).toEqual([4]);
    expect(await take(await stub.subscribeTo('batched', { since: 2 }), 2)).toEqual(events(3, 4));
  });

  test('reports events that it cannot store, answers the calls that published them, and goes on after a gap', async () => {
    using stub = ticker('batched-full');
    const subscription = await stub.subscribeTo('batched');
    await stub.publishTo('batched', 1);
    expect(await take(subscription, 1)).toEqual(events(1, 1));
    const execute = (query: string) =>
      runInDurableObject(tickerObject('batched-full'), (_, { storage }) => storage.sql.exec(query).toArray());
    await execute("CREATE TRIGGER full BEFORE INSERT ON lumenize_rpc_events BEGIN SELECT RAISE(ABORT, 'no room'); END");
    const log = vi.spyOn(console, 'error').mockReturnValue();
    try {
      expect(await stub.publishTo('batched', ...numbers(2, 10))).toEqual(numbers(2, 10));
      expect(log.mock.calls).toEqual([
        ['the topic batched failed:', expect.objectContaining({ message: expect.stringContaining('no room') })],
      ]);
      await stub.publishTo('batched', 11);
      expect(await take(subscription, 2)).toEqual([{ sequence: 10, missed: 9 }, ...events(11, 11)]);
      // The timer finds no room either.
      await vi.waitFor(() => expect(log).toHaveBeenCalledTimes(2), 5000);
    } finally {
      log.mockRestore();
    }
    await execute('DROP TRIGGER full');
    expect(await stub.publishTo('batched', 12)).toEqual([12]);
    expect(await take(subscription, 1)).toEqual(events(12, 12));
    await evict('batched-full');
    expect(await stored('batched-full', 'batched')).toEqual([{ first: 12, last: 12 }]);
  });

  test('tells whoever was away of a gap where a crash has lost what was not stored', async () => {
    const before = ticker('batched-crash');
    // Numbers up to 112 are noted as given: ten times ten more than there are.
    await before.publishTo('batched', ...numbers(1, 12));
    expect(await stored('batched-crash', 'batched')).toEqual([{ first: 1, last: 12 }]);
    // In memory only.
    await before.publishTo('batched', 13, 14);
    before[Symbol.dispose]();
    await crash('batched-crash');

    using stub = ticker('batched-crash');
    expect(await stub.publishTo('batched', ...numbers(113, 124))).toEqual(numbers(113, 124));
    expect(await stored('batched-crash', 'batched')).toEqual([
      { first: 1, last: 12 },
      { first: 113, last: 124 },
    ]);
    expect(await take(await stub.subscribeTo('batched', { since: 4 }), 21)).toEqual([
      ...events(5, 12),
      { sequence: 112, missed: 100 },
      ...events(113, 124),
    ]);
  });
});
