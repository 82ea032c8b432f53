import { connection } from '@lumenize/rpc';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connectInMemory, RpcTarget } from '../src/memory.ts';

/** What compilers take for it where the engine has none. */
const COMPILED = Symbol.for('Symbol.dispose');

// The engine's own cannot be deleted. As in engines without it, whoever asks for it asks for "undefined".
beforeEach(() => {
  const { iterator, asyncIterator, toStringTag, toPrimitive, hasInstance, species } = Symbol;
  const rest = { for: Symbol.for, iterator, asyncIterator, toStringTag, toPrimitive, hasInstance, species };
  vi.stubGlobal(
    'Symbol',
    Object.assign((name?: string) => Object(iterator).constructor(name), rest),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

let disposed = 0;

class Room extends RpcTarget {
  title() {
    return 'a room';
  }
}

function makeRooms() {
  // As the class is made in such an engine.
  Object.defineProperty(Room.prototype, String(Symbol.dispose), { value: () => disposed++, configurable: true });
  return new (class Rooms extends RpcTarget {
    room() {
      return new Room();
    }
  })();
}

// biome-ignore lint/suspicious/noExplicitAny: by names that the types do not have
type Untyped = any;

test.each<[string, string | symbol]>([
  ['stub[Symbol.dispose]()', 'undefined'],
  ['compiled "using"', COMPILED],
])('%s closes the connection, or lets go of a target, where the engine has no Symbol.dispose', async (_how, key) => {
  expect(Symbol.dispose).toBe(undefined);
  disposed = 0;
  const rooms: Untyped = connectInMemory(makeRooms());
  const room = await rooms.room();
  expect(await room.title()).toBe('a room');
  room[key]();
  await expect.poll(() => disposed).toBe(1);
  await expect((async () => room.title())()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
  rooms[key]();
  expect(connection(rooms).state).toBe('closed');
});

test('a target with a [Symbol.dispose]() has no remote method for it', async () => {
  disposed = 0;
  const rooms: Untyped = connectInMemory(makeRooms());
  vi.unstubAllGlobals();
  using room = await rooms.room();
  await expect((async () => room.undefined())()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  expect(disposed).toBe(0);
});
