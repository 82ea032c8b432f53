import { env, runInDurableObject, SELF } from 'cloudflare:test';
import type { Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import type { ConnectedClient } from '../../packages/rpc/src/protocol/version.ts';
import { StoredResults } from '../../packages/rpc/src/server/delivery/stored-results.ts';
import type { DeliveredCall } from '../../packages/rpc/src/session/incoming/delivery.ts';
import type { DeliveryTarget } from './delivery-object.ts';
import { connectToSelf } from './self-transport.ts';

const { DELIVERY } = env as unknown as { DELIVERY: DurableObjectNamespace };

/** A call that is made for the first time, or again after so long. */
function call(callId: number, ageMs?: number): DeliveredCall {
  return { callId, isResent: ageMs !== undefined, ageMs: ageMs ?? 0, isMany: false, isStored: false };
}

/** A connection of a client, which it has just made. */
function client(name: string, attempt: number): ConnectedClient {
  return { name, attempt, since: Date.now() };
}

function inStorage<T>(name: string, run: (storage: DurableObjectStorage) => T): Promise<T> {
  return runInDurableObject(DELIVERY.getByName(name), (_object, { storage }) => run(storage));
}

function countRows({ sql }: DurableObjectStorage): number {
  return sql.exec("SELECT 1 FROM lumenize_rpc_results WHERE client <> ''").toArray().length;
}

describe('an object that is emptied', () => {
  test('goes on to answer exactly-once calls, and to take connections', async () => {
    using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/emptied');
    expect(await stub.increment(5)).toBe(5);
    await inStorage('emptied', (storage) => storage.deleteAll());
    using other = connectToSelf<DeliveryTarget>('/rpc/delivery/emptied');
    expect(await other.count('increment')).toBe(0);
    expect(await stub.increment(2)).toBe(2);
    expect(await other.increment(1)).toBe(3);
  });

  test('is not written to by connections that come, read and go', async () => {
    const stub = connectToSelf<DeliveryTarget>('/rpc/delivery/left');
    await stub.increment();
    await inStorage('left', (storage) => storage.deleteAll());
    stub[Symbol.dispose]();
    using other = connectToSelf<DeliveryTarget>('/rpc/delivery/left');
    expect(await other.results()).toBe(-1);
  });

  test('by an exactly-once method has the result of that', async () => {
    using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/by-itself');
    await stub.increment();
    expect(await stub.empty()).toBe('empty');
    expect(await stub.rows()).toBe(1);
  });
});

describe('an exactly-once method that throws', () => {
  test.each<[string, (name: string) => Stub<DeliveryTarget>]>([
    ['a socket', (name) => connectToSelf(`/rpc/delivery/${name}`)],
    [
      'HTTP',
      (name) => connectHttp(`http://worker.test/rpc/delivery/${name}`, { fetch: (url, init) => SELF.fetch(url, init) }),
    ],
    ['a binding', (name) => connectBinding(DELIVERY.getByName(name))],
  ])('has no effect over %s, nor in a callback of map', async (how, connect) => {
    using stub = connect(`throws over ${how}`);
    await expect(stub.fails()).rejects.toThrow('after all');
    await expect(stub.list().map(() => stub.fails())).rejects.toThrow('after all');
    expect(await stub.count('fails')).toBe(0);
  });
});

test('an exactly-once method has no effect if its result cannot be sent', async () => {
  using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/small messages');
  await expect(stub.large(99_990)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(stub.deep(1000)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  expect([await stub.count('large'), await stub.count('deep')]).toEqual([0, 0]);
  expect([(await stub.large(99_000)).length, (await stub.deep(999)).length]).toEqual([99_000, 1]);
});

test('an exactly-once call that is sent again does not run for a client without a name', async () => {
  await inStorage('nobody', (storage) => {
    const results = new StoredResults(storage).of();
    expect(results.run(call(1), 'add', [], () => 1)).toBe(1);
    expect(() => results.run(call(1, 0), 'add', [], () => 2)).toThrow(/may have run/);
    expect(storage.sql.exec('SELECT name FROM sqlite_master').toArray()).toEqual([]);
  });
});

describe('an exactly-once method whose guard returns a promise', () => {
  test('runs once the guard has agreed, and has its result stored', async () => {
    using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/guarded');
    expect(await stub.guarded(true)).toBe(1);
    expect(await stub.count('guarded')).toBe(1);
    using other = connectToSelf<DeliveryTarget>('/rpc/delivery/guarded');
    // The other call of the turn begins when the guarded one has run, for the guard waits for nothing.
    expect(await Promise.all([other.guarded(true), other.results()])).toEqual([2, 1]);
    await other.results();
    expect(await other.results()).toBe(0);
  });

  test('is known again by the arguments that it had before the guard changed them', async () => {
    await inStorage('changed', (storage) => {
      const results = new StoredResults(storage).of(client('client', 1));
      const [add, list] = [call(1), [] as number[]];
      const run = (job: () => unknown) => results.run(add, 'add', [list], job);
      const guard = () => {
        list.push(1);
        throw new Error('the guard takes its time');
      };
      expect(() => run(guard)).toThrow('takes its time');
      expect(run(() => list.length)).toBe(1);
      expect(results.find(1, 'add', [[]])).toEqual({ ok: true, value: 1 });
    });
  });

  test('does not run where the guard refuses', async () => {
    using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/refused');
    await expect(stub.guarded(false)).rejects.toMatchObject({ code: 'DENIED' });
    expect(await stub.count('guarded')).toBe(0);
  });
});

describe('results that have arrived', () => {
  test('are dropped when their client has said so, with what it sends next; those of others stay', async () => {
    using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/arrived');
    using other = connectToSelf<DeliveryTarget>('/rpc/delivery/arrived');
    await other.increment();
    expect(await Promise.all([stub.increment(), stub.increment(), stub.results()])).toEqual([2, 3, 3]);
    await stub.results();
    expect(await stub.results()).toBe(1);
  });
});

describe('results that nobody has acknowledged', () => {
  test('are not kept for a client that has left, even if its call had waited and runs later', async () => {
    const rows = await inStorage('has-left', (storage) => {
      const stored = new StoredResults(storage, undefined);
      const [visitor, other] = [stored.of(client('visitor', 1)), stored.of(client('other', 1))];
      for (const store of [visitor, other]) store.run(call(1), 'add', [], () => 1);
      visitor.forget();
      const results = [visitor.run(call(2), 'add', [], () => 2)];
      expect(() =>
        visitor.run(call(3), 'add', [], () => {
          throw new RangeError('no');
        }),
      ).toThrow('no');
      return [
        results,
        storage.sql.exec("SELECT DISTINCT client FROM lumenize_rpc_results WHERE client <> ''").toArray(),
      ];
    });
    expect(rows).toEqual([[2], [{ client: 'other' }]]);
  });

  test('go by their age, also of an object that stores few in each of its lives', async () => {
    await inStorage('aged', async (storage) => {
      const options = { retentionMs: 1 };
      for (let life = 0; life < 10; life++) {
        const results = new StoredResults(storage, options).of(client(`client ${life}`, 1));
        results.run(call(0), 'increment', [], () => life);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      // Of each client there is a result, and which connection was its last.
      expect(countRows(storage)).toBeLessThanOrEqual(4);
      const results = new StoredResults(storage, options).of(client('client 0', 2));
      expect(() => results.run(call(0, 1000), 'increment', [], () => 'again')).toThrow(/may have run/);
    });
  });

  test('are kept by the default where a limit is undefined', async () => {
    await inStorage('undefined', (storage) => {
      const all = new StoredResults(storage, { maxResultBytes: undefined });
      all.of(client('client', 1)).run(call(0), 'increment', [], () => 1);
      expect(countRows(storage)).toBeGreaterThan(0);
    });
  });

  test('are not more than there may be, however many clients have come and gone', async () => {
    await inStorage('many', (storage) => {
      const all = new StoredResults(storage, { maxResults: 20 });
      for (let visit = 0; visit < 50; visit++) {
        const visitor = all.of(client(`visitor ${visit}`, 1));
        visitor.run(call(0), 'increment', [], () => visit);
        visitor.forget();
      }
      expect(countRows(storage)).toBe(0);
      const results = all.of(client('client', 1));
      for (let id = 0; id < 100; id++) results.run(call(id), 'increment', [], () => id);
      expect(countRows(storage)).toBeLessThanOrEqual(20);
    });
  });

  test('and cannot be dropped keep the method from having an effect', async () => {
    await inStorage('undroppable', (storage) => {
      const results = new StoredResults(storage, { maxResults: 2 }).of(client('client', 1));
      const put = (value: number) => results.run(call(value), 'put', [value], () => storage.kv.put('value', value));
      put(0);
      storage.sql.exec(
        "CREATE TRIGGER undroppable BEFORE DELETE ON lumenize_rpc_results BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      expect(() => put(1)).toThrow('full');
      expect([storage.kv.get('value'), results.find(1, 'put', undefined)]).toEqual([0, undefined]);
      storage.sql.exec('DROP TRIGGER undroppable');
      put(2);
      expect(storage.kv.get('value')).toBe(2);
    });
  });

  test('are counted as they are after a call that was rolled back', async () => {
    await inStorage('rolled-back', (storage) => {
      const results = new StoredResults(storage, { maxResults: 20 }).of(client('client', 1));
      const run = (id: number) => results.run(call(id), 'increment', [], () => id);
      for (let id = 0; id < 19; id++) run(id);
      // Results are dropped, and that cannot be noted.
      storage.sql.exec(
        "CREATE TRIGGER unnoted BEFORE INSERT ON lumenize_rpc_results WHEN NEW.client = '' BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      for (let id = 19; id < 40; id++) expect(() => run(id)).toThrow('full');
      storage.sql.exec('DROP TRIGGER unnoted');
      expect(countRows(storage)).toBe(20);
      for (let id = 40; id < 60; id++) run(id);
      expect(countRows(storage)).toBeLessThanOrEqual(20);
      expect(countRows(storage)).toBeGreaterThan(0);
    });
  });

  test('take no more bytes than they may, whatever each takes', async () => {
    await inStorage('bytes', async (storage) => {
      const options = { maxBytes: 1_000_000 };
      for (let life = 0; life < 5; life++) {
        const results = new StoredResults(storage, options).of(client(`client ${life}`, 1));
        for (let id = 0; id < 30; id++) results.run(call(id), 'read', [], () => new Uint8Array(20_000));
        const [{ bytes }] = storage.sql
          .exec('SELECT TOTAL(LENGTH(result)) AS bytes FROM lumenize_rpc_results')
          .toArray();
        expect(bytes).toBeLessThanOrEqual(1_000_000);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      // Nothing more has gone than has to.
      expect(countRows(storage)).toBeGreaterThan(30);
    });
  });

  test('and were dropped are not run again, however long frames are under way', async () => {
    await inStorage('transit', async (storage) => {
      const all = new StoredResults(storage, { maxResults: 10 });
      const first = all.of(client('client', 1));
      const sentAt = Date.now();
      first.run(call(1), 'increment', [], () => 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (let id = 2; id < 20; id++) first.run(call(id), 'increment', [], () => id);
      await new Promise((resolve) => setTimeout(resolve, 5));
      // It is sent again as soon as there is a connection, and is under way for 100 ms.
      const second = all.of(client('client', 2));
      const ageMs = Date.now() - sentAt;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(() => second.run(call(1, ageMs), 'increment', [], () => 'again')).toThrow(/may have run/);
      // What was first sent later cannot have been dropped.
      expect(second.run(call(30, 0), 'increment', [], () => 'first')).toBe('first');
    });
  });
});
