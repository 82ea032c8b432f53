import { env, runInDurableObject, SELF } from 'cloudflare:test';
import type { Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import { StoredResults, type StoredResultsOptions } from '../../packages/rpc/src/server/stored-results.ts';
import type { DeliveryTarget } from './delivery-object.ts';
import { connectToSelf } from './self-transport.ts';

const { DELIVERY } = env as unknown as { DELIVERY: DurableObjectNamespace };

/** A call that is made for the first time, or again after so long. */
function call(callId: number, ageMs?: number) {
  return { callId, running: { ageMs } } as never;
}

/** The results of an object that has started long ago. */
function resultsIn(storage: DurableObjectStorage, options?: StoredResultsOptions) {
  const all = new StoredResults(storage, 0, options);
  return {
    of: (client: string) => ({
      run: (made: never, name: string, job: () => unknown) => all.run(made, client, { name } as never, job),
    }),
  };
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
    expect(await stub.results()).toBe(1);
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
    await expect(stub.list().map(() => stub.fails())).rejects.toThrow('fails() is exactlyOnce');
    expect(await stub.count('fails')).toBe(0);
  });
});

test('an exactly-once method has no effect if its result cannot be sent', async () => {
  using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/small messages');
  await expect(stub.large(99_990)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  await expect(stub.deep(2000)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  expect([await stub.count('large'), await stub.count('deep')]).toEqual([0, 0]);
  expect([(await stub.large(99_000)).length, (await stub.deep(999)).length]).toEqual([99_000, 1]);
});

describe('an exactly-once method whose guard returns a promise', () => {
  test('runs once the guard has agreed, and has its result stored', async () => {
    using stub = connectToSelf<DeliveryTarget>('/rpc/delivery/guarded');
    expect(await stub.guarded(true)).toBe(1);
    expect(await stub.count('guarded')).toBe(1);
    using other = connectToSelf<DeliveryTarget>('/rpc/delivery/guarded');
    // The other call of the turn begins when the guarded one has run, for the guard waits for nothing.
    expect(await Promise.all([other.guarded(true), other.results()])).toEqual([2, 2]);
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
    await Promise.all(Array.from({ length: 300 }, () => stub.increment()));
    // One number says that all of them have settled, and goes with what is sent next.
    await stub.results();
    expect(await stub.results()).toBe(1);
    expect(await other.count('increment')).toBe(301);
  });
});

describe('results that nobody has acknowledged', () => {
  test('go by their age, also of an object that stores few in each of its lives', async () => {
    await inStorage('aged', async (storage) => {
      const options = { retentionMs: 1 };
      for (let life = 0; life < 10; life++) {
        const results = resultsIn(storage, options).of(`client ${life}`);
        results.run(call(0), 'increment', () => life);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      // Of each client there is a result, and which connection was its last.
      expect(countRows(storage)).toBeLessThanOrEqual(4);
      const results = resultsIn(storage, options).of('client 0');
      expect(() => results.run(call(0, 1000), 'increment', () => 'again')).toThrow(/may have run/);
    });
  });

  test('are kept by the default where a limit is undefined', async () => {
    await inStorage('undefined', (storage) => {
      const all = resultsIn(storage, { maxResultBytes: undefined });
      all.of('client').run(call(0), 'increment', () => 1);
      expect(countRows(storage)).toBeGreaterThan(0);
    });
  });

  test('are not more than there may be, however many clients have come and gone', async () => {
    await inStorage('many', (storage) => {
      const all = resultsIn(storage, { maxResults: 20 });
      for (let visit = 0; visit < 50; visit++) {
        const visitor = all.of(`visitor ${visit}`);
        visitor.run(call(0), 'increment', () => visit);
      }
      expect(countRows(storage)).toBeLessThanOrEqual(20);
      const results = all.of('client');
      for (let id = 0; id < 100; id++) results.run(call(id), 'increment', () => id);
      expect(countRows(storage)).toBeLessThanOrEqual(20);
    });
  });

  test('and cannot be dropped keep the method from having an effect', async () => {
    await inStorage('undroppable', (storage) => {
      const results = resultsIn(storage, { maxResults: 1 }).of('client');
      const put = (value: number) => results.run(call(value), 'put', () => storage.kv.put('value', value));
      put(0);
      storage.sql.exec(
        "CREATE TRIGGER undroppable BEFORE DELETE ON lumenize_rpc_results BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      expect(() => put(1)).toThrow('full');
      expect([
        storage.kv.get('value'),
        storage.sql.exec('SELECT 1 FROM lumenize_rpc_results WHERE call = 1').toArray(),
      ]).toEqual([0, []]);
      storage.sql.exec('DROP TRIGGER undroppable');
      put(2);
      expect(storage.kv.get('value')).toBe(2);
    });
  });

  test('are counted as they are after a call that was rolled back', async () => {
    await inStorage('rolled-back', (storage) => {
      const results = resultsIn(storage, { maxResults: 20 }).of('client');
      const run = (id: number) => results.run(call(id), 'increment', () => id);
      for (let id = 0; id < 19; id++) run(id);
      // Results are dropped, and that cannot be noted.
      storage.sql.exec(
        "CREATE TRIGGER unnoted BEFORE INSERT ON lumenize_rpc_results WHEN NEW.client = '' BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
      run(19);
      for (let id = 20; id < 40; id++) expect(() => run(id)).toThrow('full');
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
        const results = resultsIn(storage, options).of(`client ${life}`);
        for (let id = 0; id < 30; id++) results.run(call(id), 'read', () => new Uint8Array(20_000));
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
      const all = resultsIn(storage, { maxResults: 10 });
      const first = all.of('client');
      const sentAt = Date.now();
      first.run(call(1), 'increment', () => 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (let id = 2; id < 20; id++) first.run(call(id), 'increment', () => id);
      await new Promise((resolve) => setTimeout(resolve, 5));
      // It is sent again as soon as there is a connection, and is under way for 100 ms.
      const second = all.of('client');
      await new Promise((resolve) => setTimeout(resolve, 100));
      // A session adds the time since it was accepted, which is longer than the frame was under way.
      const ageMs = Date.now() - sentAt;
      expect(() => second.run(call(1, ageMs), 'increment', () => 'again')).toThrow(/may have run/);
      // What was first sent later cannot have been dropped.
      expect(second.run(call(30, 0), 'increment', () => 'first')).toBe('first');
    });
  });
});
