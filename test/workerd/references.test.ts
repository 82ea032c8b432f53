import { env, evictDurableObject } from 'cloudflare:test';
import { connection, RpcTarget } from '@lumenize/rpc';
import { register } from '@lumenize/structured-clone';
import { describe, expect, test, vi } from 'vitest';
import type { Lobby } from './references-object.ts';
import { connectToSelf } from './self-transport.ts';

const { REFERENCES } = env as unknown as { REFERENCES: DurableObjectNamespace };

/** What an attachment has no room for. */
class Plan {
  static encoded = 0;
  readonly rooms = 1;
}

register(Plan, {
  name: 'Plan',
  encode: () => {
    Plan.encoded++;
    return 'x'.repeat(20_000);
  },
  decode: () => new Plan(),
});

/** Connects to an object of its own, and returns the way to make it leave memory. */
function lobby(name: string) {
  // biome-ignore lint/suspicious/noExplicitAny: results by reference are tried untyped
  const stub = connectToSelf<Lobby>(`/rpc/references/${name}`) as any;
  return { stub, evict: () => evictDurableObject(REFERENCES.getByName(name)) };
}

describe('a reference', () => {
  test('from a restorable method is derived again on its first use after waking, once', async () => {
    const { stub, evict } = lobby('restorable');
    using room = await stub.room('blue');
    expect(await room.name).toBe('blue');
    await evict();
    expect(await Promise.all([room.name, room.name])).toEqual(['blue', 'blue']);
    expect(await room.name).toBe('blue');
    expect(await stub.derived()).toBe(2);
    await evict();
    expect(await room.name).toBe('blue');
    expect(await stub.derived()).toBe(3);
  });

  test('over several restorable methods, and asynchronous ones, too', async () => {
    const { stub, evict } = lobby('deep');
    const seat = await stub.room('blue').seat(7);
    const later = await stub.laterRoom('red');
    await evict();
    expect(await Promise.all([seat.label, later.name, later.name])).toEqual(['blue 7', 'red', 'red']);
    expect(await stub.derived()).toBe(4);
  });

  test('is derived again with the arguments as they arrived, although the method changes them', async () => {
    const { stub, evict } = lobby('changed arguments');
    const rooms = await Promise.all([stub.roomAt(['blue', 'red']), stub.laterRoomAt(['blue', 'red'])]);
    await evict();
    expect(await Promise.all(rooms.map((room) => room.name))).toEqual(['red', 'red']);
  });

  test('that is derived again keeps what it is derived from until it is disposed', async () => {
    const { stub, evict } = lobby('derived from');
    const seat = await stub.room('blue').seat(7);
    await evict();
    await stub.left();
    expect(await seat.label).toBe('blue 7');
    expect(await stub.left()).toEqual([]);
    seat[Symbol.dispose]();
    await stub.derived();
    expect(await stub.left()).toEqual(['blue']);
  });

  test('that is disposed while it is derived again is let go of when the calls before that have begun', async () => {
    const { stub, evict } = lobby('disposed meanwhile');
    const later = await stub.laterRoom('red');
    await evict();
    await stub.left();
    const name = later.name.then((value: string) => value);
    later[Symbol.dispose]();
    expect(await name).toBe('red');
    await expect.poll(() => stub.left()).toEqual(['red']);
  });

  test('from another method is lost, and is never mistaken for a newer one', async () => {
    const { stub, evict } = lobby('plain');
    const old = await stub.plainRoom('old');
    await evict();
    const fresh = await stub.plainRoom('fresh');
    await expect(old.name).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(await fresh.name).toBe('fresh');
  });

  test('that is derived again keeps what was returned since, and the other way round', async () => {
    const { stub, evict } = lobby('hall');
    const before = await stub.hall();
    await evict();
    const since = await stub.hall();
    expect(await before.isOpen()).toBe(true);
    before[Symbol.dispose]();
    expect(await stub.derived()).toBe(0);
    expect(await since.isOpen()).toBe(true);

    await evict();
    expect(await since.isOpen()).toBe(true);
    const newest = await stub.hall();
    since[Symbol.dispose]();
    expect(await newest.isOpen()).toBe(true);
    newest[Symbol.dispose]();
    await stub.derived();
    const closed = await stub.hall();
    expect(await closed.isOpen()).toBe(false);
  });

  test('to a target that several connections share is derived again for each of them', async () => {
    const { stub, evict } = lobby('garden');
    const other = lobby('garden').stub;
    const gardens = [await stub.garden(), await other.garden()];
    await evict();
    expect(await Promise.all(gardens.map((garden) => garden.isOpen()))).toEqual([true, true]);
  });

  test('that another method has returned before is derived again, too', async () => {
    const { stub, evict } = lobby('two methods');
    const hall = await stub.plainHall();
    expect(await stub.hall()).toBe(hall);
    await evict();
    expect(await hall.isOpen()).toBe(true);
  });

  test('is derived by a way that begins at the target, if another way was taken before', async () => {
    const { stub, evict } = lobby('two ways');
    const before = await stub.wing().hall();
    before[Symbol.dispose]();
    const hall = await stub.hall();
    await evict();
    expect(await hall.isOpen()).toBe(true);
  });

  test('for whose arguments there is no room takes no more than others to send again, or to derive from', async () => {
    const { stub } = lobby('no room');
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const room = await stub.room(new Plan());
    const before = Plan.encoded;
    await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? room.self() : room.seat(n))));
    expect(Plan.encoded).toBe(before);
    logged.mockRestore();
  });

  test("to the connection's own target is derived again", async () => {
    const { stub, evict } = lobby('own target');
    const self = await stub.self();
    await evict();
    expect(await self.derived()).toBe(0);
    self[Symbol.dispose]();
    expect(await stub.derived()).toBe(0);
  });

  test('from a restorable method that returns its receiver is lost if the receiver is not restorable', async () => {
    const { stub, evict } = lobby('receiver');
    const self = await stub.plainRoom('blue').self();
    const restorable = await stub.room('red').self();
    expect(await self.name).toBe('blue');
    await evict();
    await expect(self.name).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(await restorable.name).toBe('red');
  });

  test.each(['closed', 'broken'])('that its method no longer returns is lost: %s', async (state) => {
    const { stub, evict } = lobby(state);
    const hall = await stub.door();
    await stub.setDoor(state);
    await evict();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const lost = { status: 'rejected', reason: expect.objectContaining({ code: 'REFERENCE_LOST' }) };
    expect(await Promise.allSettled([hall.isOpen(), hall.isOpen()])).toEqual([lost, lost]);
    // Many calls of a turn may use it, and its method is tried once.
    const error = state === 'broken' ? [expect.anything(), expect.objectContaining({ name: 'RangeError' })] : [];
    expect(logged.mock.calls.flat()).toEqual(error);
    logged.mockRestore();
    await stub.setDoor('open');
    expect(await hall.isOpen()).toBe(true);
  });

  test('that a callback returns after waking is derived again, or lost alone', async () => {
    const { stub, evict } = lobby('returned');
    const [hall, later, plain] = [await stub.hall(), await stub.laterRoom('red'), await stub.plainRoom('blue')];
    const returned: Record<string, unknown> = { hall, later, plain };
    await stub.listen((name: string) => returned[name]);
    await evict();
    expect(await (await stub.tell('hall')).isOpen()).toBe(true);
    await expect(stub.tell('plain')).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    await expect(stub.tell('later')).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(await later.name).toBe('red');
    expect(await (await stub.tell('later')).name).toBe('red');
    expect(connection(stub).state).toBe('open');
  });

  test('that was disposed is not derived again', async () => {
    const { stub, evict } = lobby('disposed');
    const room = await stub.room('blue');
    room[Symbol.dispose]();
    await stub.derived();
    await evict();
    await expect(room.name).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(await stub.derived()).toBe(1);
  });

  test("to a client's function can be stored, and called after waking, until it is released", async () => {
    const { stub, evict } = lobby('listener');
    const heard: string[] = [];
    await stub.listen((text: string) => {
      heard.push(text);
      return `heard ${text}`;
    });
    expect(await stub.tell('one')).toBe('heard one');
    await evict();
    expect(await stub.tell('two')).toBe('heard two');
    await evict();
    expect(await stub.tell('three')).toBe('heard three');
    expect(heard).toEqual(['one', 'two', 'three']);
    expect(connection(stub).statistics.exports).toBe(1);
    await stub.forget();
    expect(connection(stub).statistics.exports).toBe(0);
    await expect(stub.tell('four')).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    stub[Symbol.dispose]();
    using other = lobby('listener').stub;
    expect(await other.tell('five')).toBe('nobody listens');
  });

  test("to a client's function keeps the object in memory while it is called, also for another client", async () => {
    const { stub, evict } = lobby('asked');
    const answer = Promise.withResolvers<string>();
    const asked = Promise.withResolvers<void>();
    await stub.listen(() => {
      asked.resolve();
      return answer.promise;
    });
    using other = lobby('asked').stub;
    await other.ask('may I?');
    await asked.promise;
    const evicted = evict();
    await new Promise((resolve) => setTimeout(resolve, 100));
    answer.resolve('yes');
    await evicted;
    expect(await other.said()).toBe('yes');
  });

  test("to a client's function that was passed twice in a turn is kept until both tokens are released", async () => {
    const { stub } = lobby('two tokens');
    const listener = (text: string) => `heard ${text}`;
    await Promise.all([stub.listen(listener, 'one'), stub.listen(listener, 'two')]);
    await stub.forget('one');
    expect(await stub.tell('it', 'two')).toBe('heard it');
    await stub.forget('two');
    expect(connection(stub).statistics.exports).toBe(0);
  });

  test("to a client's function is passed on to another object by the platform's own RPC", async () => {
    const { stub } = lobby('passing');
    const answers = await stub.passFunctionOn((text: string) => `heard ${text}`);
    expect(answers).toEqual(['heard passed', 'heard here', 'heard again']);
  });

  test("to a client's target is passed on so, and to a method of one", async () => {
    class Greeting extends RpcTarget {
      get title(): string {
        return 'a greeting';
      }
      greet(name: string): Map<string, string> {
        return new Map([['hello', name]]);
      }
    }
    const { stub } = lobby('passing-targets');
    expect(await stub.passTargetOn(new Greeting())).toEqual([new Map([['hello', 'Ada']]), 'a greeting']);
    expect(await stub.passMemberOn(new Greeting())).toEqual(new Map([['hello', 'Grace']]));
  });

  test('to what a Worker has connected to is passed on so, with its connection and what it returned', async () => {
    const { stub } = lobby('passing-the-connection');
    const { stub: other } = lobby('another-connection');
    await other.room('green');
    using room = await other.room('blue');
    // biome-ignore lint/suspicious/noExplicitAny: what is passed is of another type than what is expected
    const native = REFERENCES.getByName('by-the-platform') as any;
    expect(await native.callFunction(stub.derived)).toBe(0);
    expect(await native.callFunction(other.derived)).toBe(2);
    expect(await native.readName({ room })).toBe('blue');
    expect(await native.readName({ room })).toBe('blue');
    expect(await native.roomOf(other, 'red')).toBe('red');
    expect(await room.name).toBe('blue');
    expect(connection(other).state).toBe('open');
  });

  test('that was passed on so can be kept there, until the connection ends', async () => {
    const { stub } = lobby('passing-for-later');
    await stub.passForLater((text: string) => `heard ${text}`);
    expect(await stub.callLater('one')).toBe('heard one');
    expect(await stub.callLater('two')).toBe('heard two');
    using other = lobby('passing-for-later').stub;
    stub[Symbol.dispose]();
    await expect
      .poll(() => other.callLater('three').catch(({ message }: Error) => message))
      .toMatch(/REFERENCE_LOST|gone/);
  });

  test("to a stub of the platform's own is used through the connection", async () => {
    const { stub } = lobby('native');
    const counter = await stub.counter('behind');
    expect(await counter.rpcOptions()).toEqual({});
    expect(await stub.counter('behind').rpcOptions()).toEqual({});
  });

  test("to a stub of the platform's own has no members that would change or show the stub itself", async () => {
    const { stub } = lobby('native-itself');
    const counter = await stub.counter('behind');
    const outcomes = await Promise.allSettled([
      counter.__defineGetter__('rpcOptions', () => 'changed'),
      counter.__lookupGetter__('rpcOptions'),
      counter.toString(),
      counter.hasOwnProperty,
    ]);
    expect(outcomes).toEqual(
      outcomes.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'METHOD_NOT_FOUND' }) })),
    );
    expect(await counter.rpcOptions()).toEqual({});
  });
});
