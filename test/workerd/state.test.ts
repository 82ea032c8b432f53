import { runInDurableObject } from 'cloudflare:test';
import type { Position } from '@lumenize/rpc';
import type { TopicJournal, TopicOptions } from '@lumenize/rpc/server';
import { collection, State } from '@lumenize/state/server';
import { describe, expect, test } from 'vitest';
import type { Card, StateObject } from './state-object.ts';
import { client, evict, expectInStep, inside, live, shown, stateObject, until } from './state-support.ts';

const card = (id: string, more: Partial<Card> = {}): Card => ({ id, title: `title of ${id}`, column: 'todo', ...more });

function within<Result>(name: string, run: (object: StateObject) => Result | Promise<Result>) {
  return runInDurableObject(stateObject(name), (object) => run(object));
}

describe('a collection', () => {
  test('has what was put, patched and deleted, by ids', async () => {
    await within('collection', ({ state }) => {
      const { cards } = state.collections;
      cards.put(card('b'));
      cards.put(card('a', { at: new Date(0), bytes: new Uint8Array([1, 2]) }));
      cards.put(card('c'));
      expect([...cards].map(({ id }) => id)).toEqual(['a', 'b', 'c']);
      expect(cards.get('a')).toEqual(card('a', { at: new Date(0), bytes: new Uint8Array([1, 2]) }));
      expect(cards.patch('b', { column: undefined, title: 'other' })).toEqual({ id: 'b', title: 'other' });
      expect(cards.get('b')).toEqual({ id: 'b', title: 'other' });
      expect([cards.delete('b'), cards.delete('b'), cards.has('b'), cards.get('b')]).toEqual([
        true,
        false,
        false,
        undefined,
      ]);
      expect([cards.count, cards.has('a'), state.collections.notes.count]).toEqual([2, true, 0]);
      expect(() => cards.patch('b', { title: '' })).toThrow(new RangeError('cards has no record "b"'));
      expect(() => cards.put({ title: 'none' } as never)).toThrow(TypeError);
      expect(() => cards.put(new Map() as never)).toThrow(TypeError);
    });
  });

  test('writes a row for each change, another one for the first of a run, and none for what is so already', async () => {
    const cards = ({ state }: StateObject) => state.collections.cards;
    const steps: ((object: StateObject) => unknown)[] = [
      (object) => cards(object).put(card('a')),
      (object) => cards(object).put(card('b')),
      (object) => cards(object).patch('a', { column: 'done' }),
      (object) => cards(object).patch('a', { column: 'done' }),
      (object) => cards(object).put(card('b')),
      (object) => cards(object).delete('a'),
    ];
    // So that there are tables.
    await inside('rows', { put: card('other') });
    await evict('rows');
    const rows = [];
    for (const step of steps) rows.push(await rowsWritten('rows', step));
    expect(rows).toEqual([2, 1, 1, 0, 0, 1]);
    await evict('rows');
    expect(await rowsWritten('rows', (object) => cards(object).put(card('a')))).toBe(2);
  });

  test('gives the changes of a turn one version', async () => {
    const versions = await within('versions', async ({ state }) => {
      const versions = [state.position[1]];
      const turn = async (run: () => void) => {
        run();
        await new Promise((resolve) => setTimeout(resolve));
        versions.push(state.position[1]);
      };
      await turn(() => state.collections.cards.put(card('a')));
      await turn(() => {
        state.collections.cards.patch('a', { title: 'other' });
        state.collections.notes.put({ id: 'a', text: 'in the same turn' });
      });
      await turn(() => state.collections.cards.patch('a', { title: 'other' }));
      return versions;
    });
    expect(versions).toEqual([1023, 1024, 1025, 1025]);
  });

  test('reads records of earlier formats as those of the present one, without writing them', async () => {
    await inside('formats', { put: card('a') });
    await within('formats', ({ state, storage }) => {
      const old = ['cards', 'old', 1024, 1, JSON.stringify({ id: 'old', name: 'of old' })];
      storage.sql.exec('INSERT INTO lumenize_state VALUES (?, ?, ?, ?, ?)', ...old);
      expect(state.collections.cards.get('old')).toEqual({ id: 'old', title: 'of old' });
    });
    using ada = client('formats');
    await expectInStep('formats', ada.store);
    await inside('formats', { patch: 'old', fields: { column: 'done' } });
    await expectInStep('formats', ada.store);
    expect(ada.store.get('cards', 'old')).toEqual({ id: 'old', title: 'of old', column: 'done' });
  });

  test('takes a record of 1.9 MB, and no larger one', async () => {
    await within('large', ({ state }) => {
      const { cards } = state.collections;
      const title = 'x'.repeat(1_900_000 - JSON.stringify({ id: 'a', title: '' }).length);
      cards.put({ id: 'a', title });
      expect(() => cards.put({ id: 'b', title: `${title}x` })).toThrow(
        expect.objectContaining({ code: 'TOO_LARGE', message: expect.stringContaining('"b" of cards') }),
      );
      expect(() => cards.put({ id: 'b', title: 'é'.repeat(950_000) })).toThrow(/more than 1900000 bytes/);
    });
    using ada = client('large');
    await expectInStep('large', ada.store);
  });
});

describe('a follower', () => {
  test('has what there is, and each change', async () => {
    await inside('followed', { put: card('b') }, { note: { id: 'n', text: 'a note' } });
    using ada = client('followed');
    expect([ada.store.status, ada.store.all('cards'), ada.store.position]).toEqual(['loading', [], undefined]);
    await live(ada.store);
    expect(ada.store.all('cards')).toEqual([card('b')]);
    expect(ada.store.get('notes', 'n')).toEqual({ id: 'n', text: 'a note' });
    await ada.stub.take({ put: card('a', { at: new Date(5), bytes: new Uint8Array([7]) }) }, { delete: 'b' });
    expect(ada.store.all('cards')).toEqual([card('a', { at: new Date(5), bytes: new Uint8Array([7]) })]);
    await ada.stub.take({ patch: 'a', fields: { title: 'other', column: undefined } });
    expect(ada.store.get('cards', 'a')).toEqual({
      id: 'a',
      title: 'other',
      at: new Date(5),
      bytes: new Uint8Array([7]),
    });
    await expectInStep('followed', ada.store);
  });

  test('gets the fields of a change, and nothing else of the record', async () => {
    const ids = Array.from({ length: 700 }, (_, at) => `card-${String(at).padStart(17, '0')}`);
    await inside('bytes', ...ids.map((id) => ({ put: card(id, { title: 'x'.repeat(100) }) })));
    using ada = client('bytes');
    using bob = client('bytes');
    await expectInStep('bytes', ada.store, bob.store);
    const size = shown(ada.store).length;
    expect(size).toBeGreaterThan(110_000);
    const { length } = bob.network.frames;
    await ada.stub.take({ patch: ids[350], fields: { column: 'done' } });
    await until(bob.store, (store) => store.get('cards', ids[350])?.column === 'done');
    const frames = bob.network.frames.slice(length).filter(({ direction }) => direction === 'down');
    expect(ids[350]).toHaveLength(22);
    expect(frames.map(({ message }) => message.length)).toEqual([expect.any(Number)]);
    expect(frames[0].message.length).toBeLessThanOrEqual(95);
  });

  test('gets the changes of a turn in one frame, as one change', async () => {
    using ada = client('turns');
    await live(ada.store);
    const { length } = ada.network.frames;
    let changes = 0;
    ada.store.subscribe(() => changes++);
    await inside('turns', { put: card('a') }, { put: card('b') }, { patch: 'a', fields: { column: 'done' } });
    await until(ada.store, (store) => store.all('cards').length === 2);
    expect(ada.network.frames.length - length).toBe(1);
    expect(changes).toBe(1);
    expect(ada.store.get('cards', 'a')?.column).toBe('done');
  });

  test('keeps records that have not changed, and lists of them', async () => {
    await inside('identity', { put: card('a') }, { put: card('b') }, { note: { id: 'n', text: '' } });
    using ada = client('identity');
    await live(ada.store);
    const [a, b] = ada.store.all('cards');
    const notes = ada.store.all('notes');
    await ada.stub.take({ patch: 'a', fields: { column: 'done' } });
    const [other, same] = ada.store.all('cards');
    expect(other).not.toBe(a);
    expect(same).toBe(b);
    expect(ada.store.all('notes')).toBe(notes);
    expect(ada.store.all('cards')).toBe(ada.store.all('cards'));
  });

  test('learns of changes to an object that hibernates, before their calls are answered', async () => {
    using ada = client('sleeping');
    using bob = client('sleeping');
    await live(ada.store);
    await live(bob.store);
    for (let change = 1; change <= 3; change++) {
      await evict('sleeping');
      await ada.stub.take({ put: card('a', { count: change }) });
      expect(ada.store.get('cards', 'a')?.count).toBe(change);
      await expectInStep('sleeping', ada.store, bob.store);
    }
    expect([ada, bob].map(({ network }) => Math.max(...network.frames.map(({ connection }) => connection)))).toEqual([
      1, 1,
    ]);
  });

  test('that was away learns what has changed, and nothing else, however often the object has started', async () => {
    await inside('away', ...Array.from({ length: 700 }, (_, at) => ({ put: card(`card-${at}`) })));
    using ada = client('away');
    await expectInStep('away', ada.store);
    const unchanged = ada.store.get('cards', 'card-1');
    for (let loss = 0; loss < 3; loss++) {
      const { length } = ada.network.frames;
      const held = ada.network.hold('up');
      await evict('away', 'close');
      for (let change = 0; change < 3; change++) {
        await inside(
          'away',
          { patch: 'card-0', fields: { count: loss * 3 + change } },
          { delete: `card-${600 + loss}` },
        );
        await evict('away');
      }
      held.release();
      await expectInStep('away', ada.store);
      const bytes = ada.network.frames.slice(length).filter(({ direction }) => direction === 'down');
      expect(bytes.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThan(1500);
    }
    expect(ada.store.all('cards')).toHaveLength(697);
    expect(ada.store.get('cards', 'card-1')).toBe(unchanged);
  });

  test('that has missed 10,000 changes learns of them in one round trip', async () => {
    const steps = Array.from({ length: 10_000 }, (_, at) => ({ put: card(`card-${at}`) }));
    await inside('many', ...steps, { put: card('unchanged', { title: 'x'.repeat(1_000_000) }) });
    using ada = client('many');
    await expectInStep('many', ada.store);
    const { length } = ada.network.frames;
    const held = ada.network.hold('up');
    await evict('many', 'close');
    const changed = steps.map(({ put }) => ({ put: { ...put, column: 'done' } }));
    await inside('many', ...changed);
    held.release();
    await expectInStep('many', ada.store);
    const frames = ada.network.frames.slice(length);
    const [up, down] = (['up', 'down'] as const).map((each) => frames.filter(({ direction }) => direction === each));
    expect(up).toHaveLength(1);
    const bytes = down.reduce((sum, { message }) => sum + message.length, 0);
    expect(bytes).toBeLessThan(1.1 * changed.reduce((sum, { put }) => sum + JSON.stringify(put).length, 0));
    for (const { message } of down) expect(message.length).toBeLessThanOrEqual(262_144);
  });

  test('gets 20 MB in pages', async () => {
    const title = 'x'.repeat(10_000);
    for (let part = 0; part < 20; part++) {
      await inside('pages', ...Array.from({ length: 100 }, (_, at) => ({ put: card(`${part}-${at}`, { title }) })));
    }
    // Pages begin with the first collection, unless they say another one.
    await inside('pages', ...Array.from({ length: 60 }, (_, at) => ({ note: { id: `${at}`, text: title } })));
    using ada = client('pages');
    let changes = 0;
    ada.store.subscribe(() => changes++);
    await expectInStep('pages', ada.store);
    const down = ada.network.frames.filter(({ direction }) => direction === 'down');
    expect(down.reduce((sum, { message }) => sum + message.length, 0)).toBeGreaterThan(20_000_000);
    for (const { message } of down) expect(message.length).toBeLessThanOrEqual(262_144);
  });

  test('that loses its connection between pages has nothing of them before it has all', async () => {
    const title = 'x'.repeat(100_000);
    for (let at = 0; at < 12; at++) await inside('between', { put: card(`${at}`, { title }) });
    using ada = client('between');
    const sizes = new Set<number>();
    ada.store.subscribe(() => sizes.add(ada.store.all('cards').length));
    const held = ada.network.hold('down');
    await held.caught(4);
    held.release(4);
    ada.network.cut();
    held.release();
    const { length } = ada.network.frames;
    await expectInStep('between', ada.store);
    // It has asked once, for what it had not got before.
    expect(ada.network.frames.slice(length).filter(({ direction }) => direction === 'up')).toHaveLength(1);
    expect([...sizes].filter((size) => size > 0)).toEqual([12]);
  });

  test('learns nothing of what was rolled back, alone and beside other changes of the turn', async () => {
    await inside('rolled back', { put: card('a') }, { put: card('b') });
    using ada = client('rolled back');
    await live(ada.store);
    const { position } = ada.store;
    const { length } = ada.network.frames;
    const failed = ada.stub.fail({ patch: 'a', fields: { title: 'other' } }, { put: card('c') }, { delete: 'b' });
    await expect(failed).rejects.toMatchObject({ code: 'DENIED' });
    expect(ada.network.frames.slice(length).map(({ direction }) => direction)).toEqual(['up', 'down']);
    expect(await within('rolled back', ({ state }) => state.position)).toEqual(position);
    const others = [ada.stub.fail({ patch: 'a', fields: { title: 'other' } }), ada.stub.take({ add: 'a', by: 1 })];
    await Promise.allSettled(others);
    expect(ada.store.all('cards')).toEqual([card('a', { count: 1 }), card('b')]);
    expect(ada.store.position?.[1]).toBe(position![1] + 1);
    await expectInStep('rolled back', ada.store);
  });

  test('of a view sees what it shows, and is told that there is nothing to see', async () => {
    await inside('views', { put: card('a', { secret: 'x' }) }, { put: card('b', { isHidden: true }) });
    using guest = client('views', 'guest');
    await live(guest.store);
    expect(guest.store.all('cards')).toEqual([card('a')]);
    await inside('views', { patch: 'a', fields: { secret: 'y' } });
    const version = await inside('views', { note: { id: 'n', text: '' } });
    await guest.store.reached(version);
    await inside('views', { patch: 'b', fields: { isHidden: undefined } });
    await until(guest.store, (store) => store.all('cards').length === 2);
    await inside('views', { patch: 'b', fields: { isHidden: true } });
    await until(guest.store, (store) => store.all('cards').length === 1);
    const texts = guest.network.frames.map(({ message }) => String(message)).join();
    expect(texts).not.toContain('secret');
    expect(texts).not.toContain('notes');
  });

  test('that sees another view when it comes back gets all of that', async () => {
    await inside('regrouped', { put: card('a', { secret: 'x' }) });
    using ada = client('regrouped');
    await live(ada.store);
    await within('regrouped', (object) => {
      object.view = 'guest';
    });
    ada.network.cut();
    await until(ada.store, (store) => store.get('cards', 'a')?.secret === undefined);
    await live(ada.store);
    await inside('regrouped', { patch: 'a', fields: { column: 'done' } });
    await until(ada.store, (store) => store.get('cards', 'a')?.column === 'done');
  });
});

describe('a storage that is another one', () => {
  test('that was emptied is told of with the next change', async () => {
    await inside('emptied', { put: card('a') }, { put: card('b') });
    using ada = client('emptied');
    await live(ada.store);
    await within('emptied', async ({ storage }) => storage.deleteAll());
    await inside('emptied', { put: card('c') });
    await until(ada.store, (store) => store.get('cards', 'c') !== undefined);
    await expectInStep('emptied', ada.store);
    expect(ada.store.all('cards')).toEqual([card('c')]);
  });

  test('that was emptied in a turn with changes is told of at once', async () => {
    await inside('emptied in a turn', { put: card('a') });
    using ada = client('emptied in a turn');
    await live(ada.store);
    await within('emptied in a turn', async ({ state, storage }) => {
      state.collections.cards.put(card('b'));
      await storage.deleteAll();
    });
    await until(ada.store, (store) => store.all('cards').length === 0);
    await expectInStep('emptied in a turn', ada.store);
  });

  test('that was emptied is told of by reload()', async () => {
    await inside('reloaded', { put: card('a') });
    using ada = client('reloaded');
    await live(ada.store);
    await within('reloaded', async ({ state, storage }) => {
      await storage.deleteAll();
      state.reload();
    });
    await until(ada.store, (store) => store.all('cards').length === 0);
    await expectInStep('reloaded', ada.store);
    await inside('reloaded', { put: card('b') });
    await expectInStep('reloaded', ada.store);
  });

  test('that was emptied and filled while a follower was away is told in full', async () => {
    await inside('refilled', { put: card('a') }, { put: card('b') });
    using ada = client('refilled');
    await live(ada.store);
    const held = ada.network.hold('up');
    await evict('refilled', 'close');
    await within('refilled', async ({ storage }) => storage.deleteAll());
    for (let change = 0; change < 5; change++) await inside('refilled', { put: card(`other-${change}`) });
    held.release();
    await expectInStep('refilled', ada.store);
    expect(ada.store.all('cards')).toHaveLength(5);
  });

  test.each(['in another run', 'in the same run'])(
    'that was restored, and has given the versions %s again, is told in full',
    async (lost) => {
      const name = `restored ${lost}`;
      await inside(name, { put: card('a') });
      const copy = await within(name, ({ storage }) =>
        ['lumenize_state', 'lumenize_state_runs'].map(
          (table) => [table, [...storage.sql.exec(`SELECT * FROM ${table}`).raw()]] as const,
        ),
      );
      if (lost === 'in another run') await evict(name);
      await inside(name, { put: card('lost') });
      using ada = client(name);
      await live(ada.store);
      expect(ada.store.all('cards')).toHaveLength(2);
      const held = ada.network.hold('up');
      await evict(name, 'close');
      // As it is after a restore: with other tables when the object starts.
      await within(name, ({ storage }) => {
        for (const [table, rows] of copy) {
          storage.sql.exec(`DELETE FROM ${table}`);
          for (const row of rows) storage.sql.exec(`INSERT INTO ${table} VALUES (${row.map(() => '?')})`, ...row);
        }
      });
      await evict(name);
      await inside(name, { put: card('other') });
      await inside(name, { put: card('other', { count: 1 }) });
      held.release();
      await expectInStep(name, ada.store);
      expect(ada.store.all('cards').map(({ id }) => id)).toEqual(['a', 'other']);
    },
  );

  test('has forgotten the oldest tombstones: who was away for longer is told in full', async () => {
    await inside('tombstones', ...Array.from({ length: 5200 }, (_, at) => ({ put: card(`${at}`) })));
    using ada = client('tombstones');
    using bob = client('tombstones');
    await expectInStep('tombstones', ada.store, bob.store);
    const held = ada.network.hold('up');
    ada.network.cut();
    await inside('tombstones', { delete: '0' });
    await expectInStep('tombstones', bob.store);
    const bobHeld = bob.network.hold('up');
    for (let part = 0; part < 5; part++) {
      await inside('tombstones', ...Array.from({ length: 1000 }, (_, at) => ({ delete: `${part * 1000 + at + 1}` })));
    }
    const count = await within('tombstones', ({ storage }) =>
      storage.sql.exec('SELECT count(*) AS count FROM lumenize_state WHERE data IS NULL').one(),
    );
    expect(count).toEqual({ count: expect.toSatisfy((kept: number) => kept > 3000 && kept <= 5000) });
    held.release();
    bobHeld.release();
    await expectInStep('tombstones', ada.store, bob.store);
    expect(ada.store.all('cards')).toHaveLength(199);
  });

  test('that is read in another way than before is told in full', async () => {
    await inside('shapes', { put: card('a') });
    await within('shapes', ({ storage }) => {
      const opened = (format: number) => {
        let journal!: TopicJournal;
        const topic = (_name: string, options: TopicOptions = {}) => {
          journal = options.journal!;
          return { subscribers: 0, publish: () => 0 } as never;
        };
        const state = new State({ ctx: { storage }, topic }, { cards: collection<Card>({ format }) });
        return { position: state.position, knows: (position: Position) => journal.resume(position).epoch };
      };
      const [first, second] = [opened(1), opened(1)];
      const [run, version] = first.position;
      expect([second.position, second.knows(first.position)]).toEqual([first.position, `${run}!${version}`]);
      const other = opened(2);
      expect([other.position[1], other.knows(first.position)]).toEqual([version + 1, '!0']);
      expect(other.knows(other.position)).toBe(other.position.join('!'));
      expect(opened(1).knows(other.position)).toBe('!0');
    });
  });

  test('remembers a limited number of runs: who was away for longer is told in full', async () => {
    await inside('runs', { put: card('a') });
    using ada = client('runs');
    await live(ada.store);
    const position = ada.store.position!;
    const count = async () =>
      within('runs', ({ storage }) => storage.sql.exec('SELECT count(*) AS count FROM lumenize_state_runs').one());
    await within('runs', ({ storage }) => {
      storage.sql.exec(`WITH RECURSIVE numbers(n) AS (SELECT 2000 UNION ALL SELECT n + 1 FROM numbers WHERE n < 11998)
        INSERT INTO lumenize_state_runs SELECT n, 'run' || n, shape FROM numbers, lumenize_state_runs WHERE first = 1024`);
    });
    await evict('runs', 'close');
    expect(await count()).toEqual({ count: 10_000 });
    await inside('runs', { put: card('b') });
    expect(await count()).toEqual({ count: 9000 });
    const subscription = await ada.stub.follow(position);
    for await (const { missed, event } of subscription) {
      if (missed !== undefined) continue;
      expect(event).not.toHaveProperty('since');
      break;
    }
    await inside('runs', { put: card('c') });
    await expectInStep('runs', ada.store);
  });

  test('is not known by the position of another object', async () => {
    await inside('one', { put: card('a') });
    await inside('another', { put: card('b') });
    using ada = client('one');
    await live(ada.store);
    const { position } = ada.store;
    using bob = client('another');
    const subscription = await bob.stub.follow(position!);
    for await (const { missed, event } of subscription) {
      if (missed !== undefined) continue;
      expect(event).toEqual({ part: 0, collections: ['cards', 'notes'], changes: [card('b')] });
      break;
    }
  });
});

/** Runs something inside of an object, and returns the number of rows that are written until the turn has ended. */
async function rowsWritten(name: string, run: (object: StateObject) => unknown): Promise<number> {
  return within(name, async (object) => {
    const { sql } = object.storage;
    const prototype = Object.getPrototypeOf(sql) as { exec: SqlStorage['exec'] };
    const { exec } = prototype;
    let rows = 0;
    prototype.exec = function (this: SqlStorage, ...args: never) {
      const cursor = Reflect.apply(exec, this, args);
      rows += cursor.rowsWritten;
      return cursor;
    } as never;
    try {
      run(object);
      await new Promise((resolve) => setTimeout(resolve));
    } finally {
      prototype.exec = exec;
    }
    return rows;
  });
}
