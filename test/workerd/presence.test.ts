import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { type ConnectOptions, connection, type Stub } from '@lumenize/rpc';
import { byPerson, type Member, type PresenceStore, presenceStore } from '@lumenize/state/presence';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { ComposedRoomObject, RoomApi, RoomObject, Shown } from './room-object.ts';
import { connectToSelf, upgrade } from './self-transport.ts';

const { ROOM, COMPOSED_ROOM } = env as unknown as {
  ROOM: DurableObjectNamespace<RoomObject>;
  COMPOSED_ROOM: DurableObjectNamespace<ComposedRoomObject>;
};

let rooms = 0;
const newRoom = () => `present-${rooms++}`;

function enter(room: string, user?: string, options?: ConnectOptions, binding = 'room'): Stub<RoomApi> {
  const path = `/rooms/${binding}/${room}${user === undefined ? '' : `?user=${user}`}`;
  const stub = connectToSelf<RoomApi>(path, { reconnect: { minDelayMs: 5, maxDelayMs: 20 }, ...options });
  onTestFinished(() => connection(stub).close());
  return stub;
}

/** Enters a room, and is present in it. */
function appear(
  room: string,
  shown: Partial<Shown> = {},
  user?: string,
): PresenceStore<Shown> & { stub: Stub<RoomApi> } {
  const stub = enter(room, user);
  const store = presenceStore<Shown>(stub.presence);
  store.set(shown);
  return Object.assign(store, { stub });
}

/** The others of a store, without their ids. */
const othersOf = (store: PresenceStore<Shown>) =>
  store.get().others.map(({ id: _id, person: _person, ...shown }: Member<Shown>) => shown);

const seen = (store: PresenceStore<Shown>) => expect.poll(() => othersOf(store), { interval: 10 });

function inRoom<Result>(room: string, job: (object: RoomObject) => Result): Promise<Result> {
  return runInDurableObject(ROOM.getByName(room), (object) => job(object));
}

describe('members that are present', () => {
  test('see each other, and know themselves', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Ada', cursor: { x: 1, y: 2 } });
    await expect.poll(() => ada.get().self).toMatchObject({ name: 'Ada', cursor: { x: 1, y: 2 } });
    expect(ada.get().others).toEqual([]);
    const bob = appear(room, { name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    await seen(bob).toEqual([{ name: 'Ada', cursor: { x: 1, y: 2 } }]);
    expect(bob.get().others[0].id).toBe(ada.get().self!.id);
    expect(ada.get().self!.id).not.toBe(bob.get().self!.id);
  });

  test('are told of what others change, and each change at its own place', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Ada' });
    const bob = appear(room, { name: 'Bob', colour: 'red' });
    const eve = appear(room, { name: 'Eve' });
    await expect.poll(() => ada.get().others.length).toBe(2);
    const [before] = ada.get().others.filter(({ name }) => name === 'Eve');
    bob.set({ cursor: { x: 3, y: 4 } });
    expect(bob.get().self).toMatchObject({ cursor: { x: 3, y: 4 } });
    await expect.poll(() => ada.get().others.find(({ name }) => name === 'Bob')?.cursor).toEqual({ x: 3, y: 4 });
    expect(ada.get().others.find(({ name }) => name === 'Bob')).toMatchObject({ colour: 'red' });
    // Who has not changed is the same object.
    expect(ada.get().others.find(({ name }) => name === 'Eve')).toBe(before);
    bob.set({ cursor: undefined });
    await expect.poll(() => ada.get().others.find(({ name }) => name === 'Bob')?.cursor).toBeUndefined();
    eve.close();
    await expect.poll(() => ada.get().others.length).toBe(1);
  });

  test('are two for two tabs, and one person', async () => {
    const room = newRoom();
    const ada = appear(room, {}, 'ada');
    appear(room, { colour: 'red' }, 'bob');
    appear(room, { colour: 'blue' }, 'bob');
    await expect.poll(() => ada.get().others.length).toBe(2);
    const people = byPerson(ada.get().others);
    expect([...people.keys()]).toEqual(['bob']);
    expect(
      people
        .get('bob')!
        .map(({ colour }) => colour)
        .sort(),
    ).toEqual(['blue', 'red']);
  });

  test('cannot change what the object knows of them', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Eve', colour: 'red' }, 'ada');
    const bob = appear(room, {}, 'bob');
    await seen(bob).toEqual([{ name: 'the ada', colour: 'red' }]);
    ada.set({ name: 'Mallory', colour: 'green' });
    await seen(bob).toEqual([{ name: 'the ada', colour: 'green' }]);
  });

  test('share a store for the same place, and leave with its last subscriber', async () => {
    const room = newRoom();
    const ada = appear(room);
    await expect.poll(() => ada.get().self).toBeDefined();
    const stub = enter(room);
    const store = presenceStore<Shown>(stub.presence);
    expect(presenceStore(stub.presence)).toBe(store);
    expect(presenceStore(enter(room).presence)).not.toBe(store);
    const ends = [store.subscribe(() => {}), store.subscribe(() => {})];
    await expect.poll(() => ada.get().others.length).toBe(1);
    ends[0]();
    ends[1]();
    const again = store.subscribe(() => {});
    await new Promise((resolve) => setTimeout(resolve, 1300));
    expect(ada.get().others.length).toBe(1);
    again();
    await expect.poll(() => ada.get().others.length).toBe(0);
    expect(store.get()).toBe(store.initial);
  });

  test('are gone within a second of a clean close', async () => {
    const room = newRoom();
    const ada = appear(room);
    const bob = appear(room, { name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    connection(bob.stub).close();
    await vi.waitFor(() => expect(ada.get().others).toEqual([]), { timeout: 1000, interval: 10 });
    // Also the application is told.
    expect(await inRoom(room, ({ disconnected }) => disconnected)).toEqual(['undefined']);
  });

  test('are gone after a clean close that wakes the object', async () => {
    const room = newRoom();
    const ada = appear(room);
    const bob = appear(room, { name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    await evictDurableObject(ROOM.getByName(room), { webSockets: 'hibernate' });
    connection(bob.stub).close();
    await vi.waitFor(() => expect(ada.get().others).toEqual([]), { timeout: 1000, interval: 10 });
  });

  test('come again under another id when the connection was lost, with all that they have set', async () => {
    const room = newRoom();
    const ada = appear(room);
    const bob = appear(room, { name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    bob.set({ cursor: { x: 1, y: 1 } });
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 1, y: 1 } }]);
    const before = [ada, bob].map((each) => each.get().self!.id);
    await inRoom(room, (object) => object.closeAll());
    bob.set({ colour: 'red' });
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 1, y: 1 }, colour: 'red' }]);
    await seen(bob).toEqual([{}]);
    const now = [ada, bob].map((each) => each.get().self!.id);
    expect(new Set([...before, ...now]).size).toBe(4);
    expect(ada.get().others[0].id).toBe(now[1]);
  });

  test('come again when the object has taken them for gone', async () => {
    const room = newRoom();
    const ada = appear(room);
    const bob = appear(room, { name: 'Bob', cursor: { x: 1, y: 1 } });
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 1, y: 1 } }]);
    let wasGone = false;
    ada.subscribe(() => {
      wasGone ||= ada.get().others.length === 0;
    });
    await inRoom(room, ({ members }) => {
      const { caller } = members.members.find(({ fields }) => fields.name === 'Bob')!;
      members.leave(caller);
    });
    await expect.poll(() => wasGone, { interval: 1 }).toBe(true);
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 1, y: 1 } }]);
    expect(bob.get().others.length).toBe(1);
  });

  test('may be few only', async () => {
    const stores = ['a', 'b'].map((name) => appear('small', { name }));
    await expect.poll(() => stores.every((each) => each.get().self !== undefined)).toBe(true);
    const refused = appear('small', { name: 'c' });
    await expect.poll(() => refused.get().error).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(refused.get().self).toBeUndefined();
    expect(stores[0].get().others.length).toBe(1);
  });
});

describe('a page that vanishes', () => {
  /** Joins over a socket that sends nothing more, not even heartbeats, and closes nothing. */
  async function vanish(room: string, name: string): Promise<void> {
    const socket = await upgrade(`/rooms/room/${room}`);
    socket.accept();
    socket.send(JSON.stringify([1, ['presence', 'join', [{ name }]]]));
  }

  test('is gone some time later, and those that are only silent stay', async () => {
    const room = 'impatient'; // a page may be silent for 1.5 s there
    const ada = appear(room, { name: 'Ada' });
    const bob = appear(room, { name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    const { id } = bob.get().self!;
    const began = performance.now();
    await vanish(room, 'ghost');
    await seen(ada).toEqual([{ name: 'Bob' }, { name: 'ghost' }]);
    await seen(ada).toEqual([{ name: 'Bob' }]);
    // Two seconds to answer are in it, which are less with the default of 45 s.
    expect(performance.now() - began).toBeLessThan(4500);
    // Nobody has said anything for long, but heartbeats.
    expect(ada.get().others[0].id).toBe(id);
  });

  test('is gone also if the object has hibernated meanwhile', async () => {
    const room = 'impatient';
    const ada = appear(room, { name: 'Ada' });
    await expect.poll(() => ada.get().self).toBeDefined();
    await vanish(room, 'ghost');
    await seen(ada).toEqual([{ name: 'ghost' }]);
    await evictDurableObject(ROOM.getByName(room), { webSockets: 'hibernate' });
    await seen(ada).toEqual([]);
  });

  test('that comes back is there again', async () => {
    const room = 'impatient';
    const ada = appear(room, { name: 'Ada' });
    const stub = enter(room, undefined, { heartbeat: false });
    const bob = presenceStore<Shown>(stub.presence);
    bob.set({ name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    // Without heartbeats it is taken for vanished, unless it answers when it is asked.
    const { id } = bob.get().self!;
    for (let round = 0; round < 30; round++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(ada.get().others.map((each) => each.id)).toEqual([id]);
    }
  });
});

describe('a class that extends something else', () => {
  test('has members as well, with sockets that do not hibernate', async () => {
    const room = newRoom();
    const [ada, bob] = ['Ada', 'Bob'].map((name) => {
      const stub = enter(room, undefined, {}, 'composed-room');
      const store = presenceStore<Shown>(stub.presence);
      store.set({ name });
      return Object.assign(store, { stub });
    });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    const { id } = bob.get().self!;
    // A page may be silent for 1.5 s here: heartbeats are enough.
    for (let round = 0; round < 25; round++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(ada.get().others.map((each) => each.id)).toEqual([id]);
    }
    connection(bob.stub).close();
    await seen(ada).toEqual([]);
  });
});

describe('an object with members', () => {
  test('keeps slow fields while it hibernates, and asks for the others when somebody comes', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Ada', cursor: { x: 1, y: 1 } });
    const bob = appear(room, { name: 'Bob', cursor: { x: 2, y: 2 } });
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 2, y: 2 } }]);
    await evictDurableObject(ROOM.getByName(room), { webSockets: 'hibernate' });
    expect(await inRoom(room, ({ members }) => members.members.map(({ fields }) => fields))).toEqual([
      { name: 'Ada' },
      { name: 'Bob' },
    ]);
    bob.set({ colour: 'red' });
    // Who was there keeps what it knows.
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 2, y: 2 }, colour: 'red' }]);
    const eve = appear(room, { name: 'Eve' });
    await seen(eve).toEqual([
      { name: 'Ada', cursor: { x: 1, y: 1 } },
      { name: 'Bob', cursor: { x: 2, y: 2 }, colour: 'red' },
    ]);
    expect(ada.get().others.map(({ name }) => name)).toEqual(['Bob', 'Eve']);
  });

  test('asks for fast fields also after a member that it knows has joined again', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Ada' });
    const bob = appear(room, { name: 'Bob', cursor: { x: 2, y: 2 } });
    await seen(ada).toEqual([{ name: 'Bob', cursor: { x: 2, y: 2 } }]);
    await evictDurableObject(ROOM.getByName(room), { webSockets: 'hibernate' });
    await ada.stub.presence.join({ name: 'Ada' });
    const eve = appear(room, { name: 'Eve' });
    await seen(eve).toEqual([{ name: 'Ada' }, { name: 'Bob', cursor: { x: 2, y: 2 } }]);
    expect(bob.get().others.length).toBe(2);
  });

  test('stores nothing', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Ada' });
    const bob = appear(room, { name: 'Bob' });
    await seen(ada).toEqual([{ name: 'Bob' }]);
    for (let x = 0; x < 10; x++) {
      bob.set({ cursor: { x, y: 0 }, colour: `${x}` });
      await seen(ada).toEqual([{ name: 'Bob', cursor: { x, y: 0 }, colour: `${x}` }]);
    }
    const tables = await runInDurableObject(ROOM.getByName(room), (_object, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name LIKE 'lumenize%'").toArray(),
    );
    expect(tables).toEqual([]);
  });

  test('sends one frame in 50 ms, with the fields that have changed and no others', async () => {
    const room = newRoom();
    const ada = appear(room, { name: 'Ada' });
    const bob = appear(room, { name: 'Bob', colour: 'red' });
    await seen(ada).toEqual([{ name: 'Bob', colour: 'red' }]);
    const [items, { statistics }] = [await ada.stub.presence.follow(), connection(ada.stub)];
    const events: unknown[] = [];
    const reading = (async () => {
      for await (const { event } of items) events.push(event);
    })();
    const began = performance.now();
    const before = connection(ada.stub).statistics.framesReceived - statistics.framesReceived;
    const { framesReceived } = connection(ada.stub).statistics;
    for (let x = 0; x < 100; x++) {
      bob.set({ cursor: { x, y: 0 } });
      ada.set({ cursor: { x: 0, y: x } });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const took = performance.now() - began;
    const frames = connection(ada.stub).statistics.framesReceived - framesReceived;
    expect(before).toBe(0);
    expect(frames).toBeGreaterThan(10);
    // The answers of a second leave together, or those so far in an interval in which nothing changes.
    expect(frames - events.length).toBeLessThan(events.length / 2);
    expect(frames).toBeLessThanOrEqual(Math.ceil(took / 50) + 1);
    await seen(ada).toEqual([{ name: 'Bob', colour: 'red', cursor: { x: 99, y: 0 } }]);
    await items.return!();
    await reading;
    const id = bob.get().self!.id;
    for (const event of events as Record<string, object>[]) {
      if (event[id] !== undefined) expect(Object.keys(event[id])).toEqual(['cursor']);
    }
  });

  test.each([
    ['what is no object', 7, 'INVALID_ARGUMENTS'],
    ['a list', [1], 'INVALID_ARGUMENTS'],
    ['a number that JSON has not', { note: 1n }, 'INVALID_ARGUMENTS'],
    ['too much', { note: 'x'.repeat(2000) }, 'TOO_LARGE'],
  ])('refuses %s', async (_what, given, code) => {
    const room = newRoom();
    const stub = enter(room);
    const { presence } = stub as unknown as Record<string, Record<string, (given: unknown) => Promise<unknown>>>;
    await expect(presence.join(given)).rejects.toMatchObject({ code });
    await presence.join({ name: 'Ada' });
    await expect(presence.set(given)).rejects.toMatchObject({ code });
    expect(await inRoom(room, ({ members }) => members.members.map(({ fields }) => fields))).toEqual([{ name: 'Ada' }]);
  });

  test('refuses what its schema refuses', async () => {
    const stub = enter('strict');
    const { presence } = stub as unknown as Record<string, Record<string, (given: unknown) => Promise<unknown>>>;
    await presence.join({ cursor: { x: 1, y: 1 } });
    await expect(presence.set({ cursor: { x: -1, y: 1 } })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
      data: { issues: [{ message: 'negative' }] },
    });
  });

  test('holds answers back for at most a second', async () => {
    const room = newRoom();
    const ada = appear(room);
    await expect.poll(() => ada.get().self).toBeDefined();
    ada.set({ name: 'Ada' });
    await vi.waitFor(() => expect(connection(ada.stub).statistics.callsInFlight).toBe(1), { interval: 5 });
    await vi.waitFor(() => expect(connection(ada.stub).statistics.callsInFlight).toBe(0), { timeout: 1500 });
  });
});

describe('a connection', () => {
  test('keeps values while the object is not in memory, and has room for 16 kB', async () => {
    const room = newRoom();
    const stub = enter(room);
    await stub.presence.check();
    await inRoom(room, (object) => object.keepInAll('key', { deep: [1n] }));
    await evictDurableObject(ROOM.getByName(room), { webSockets: 'hibernate' });
    expect(await inRoom(room, (object) => object.keptInAll('key'))).toEqual([{ deep: [1n] }]);
    await inRoom(room, (object) => {
      expect(() => object.keepInAll('key', 'x'.repeat(17_000))).toThrow(
        expect.objectContaining({ code: 'LIMIT_EXCEEDED' }),
      );
      expect(object.keptInAll('key')).toEqual([{ deep: [1n] }]);
      object.keepInAll('key', undefined);
      expect(object.keptInAll('key')).toEqual([undefined]);
    });
  });

  test('says when its heartbeat was answered, which does not wake the object', async () => {
    const room = newRoom();
    const socket = await upgrade(`/rooms/room/${room}`);
    socket.accept();
    expect(await inRoom(room, (object) => object.heardInAll())).toEqual([0]);
    const began = Date.now();
    const answered = new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }));
    socket.send('ping');
    await answered;
    const [heardAt] = await inRoom(room, (object) => object.heardInAll());
    expect(heardAt).toBeGreaterThanOrEqual(began - 1);
  });

  test('says so as well if the object answers its heartbeats itself', async () => {
    const room = newRoom();
    const socket = await upgrade(`/rooms/composed-room/${room}`);
    socket.accept();
    const heard = () => runInDurableObject(COMPOSED_ROOM.getByName(room), (object) => object.heardInAll());
    expect(await heard()).toEqual([0]);
    const began = Date.now();
    const answered = new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }));
    socket.send('ping');
    await answered;
    expect((await heard())[0]).toBeGreaterThanOrEqual(began - 1);
  });
});
