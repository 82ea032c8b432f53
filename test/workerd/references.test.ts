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
  test('from a restorable method is found again for each use, also after waking', async () => {
    const { stub, evict } = lobby('restorable');
    using room = await stub.room('blue');
    expect(await room.name).toBe('blue');
    await evict();
    expect(await Promise.all([room.name, room.name])).toEqual(['blue', 'blue']);
    // Once for the call itself, and once for each use.
    expect(await stub.derived()).toBe(4);
  });

  test('over several restorable methods, and asynchronous ones, too', async () => {
    const { stub, evict } = lobby('deep');
    const seat = await stub.room('blue').seat(7);
    const later = await stub.laterRoom('red');
    await evict();
    expect(await Promise.all([seat.label, later.name, later.name])).toEqual(['blue 7', 'red', 'red']);
  });

  test('is derived again with the arguments as they arrived, although the method changes them', async () => {
    const { stub, evict } = lobby('changed arguments');
    const rooms = await Promise.all([stub.roomAt(['blue', 'red']), stub.laterRoomAt(['blue', 'red'])]);
    await evict();
    expect(await Promise.all(rooms.map((room) => room.name))).toEqual(['red', 'red']);
  });

  test('from another method is lost, and is never mistaken for a newer one', async () => {
    const { stub, evict } = lobby('plain');
    const old = await stub.plainRoom('old');
    await evict();
    const fresh = await stub.plainRoom('fresh');
    await expect(old.name).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    expect(await fresh.name).toBe('fresh');
  });

  test('to a target that several connections share is derived again for each of them', async () => {
    const { stub, evict } = lobby('garden');
    const other = lobby('garden').stub;
    const gardens = [await stub.garden(), await other.garden()];
    await evict();
    expect(await Promise.all(gardens.map((garden) => garden.isOpen()))).toEqual([true, true]);
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

  test.each([
    ['closed', { code: 'METHOD_NOT_FOUND' }],
    ['broken', { name: 'RangeError', message: 'the door is broken' }],
  ])('that its method no longer returns fails for each use, until it does again: %s', async (state, error) => {
    const { stub, evict } = lobby(state);
    const hall = await stub.door();
    await stub.setDoor(state);
    await evict();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    const lost = { status: 'rejected', reason: expect.objectContaining(error) };
    expect(await Promise.allSettled([hall.isOpen(), hall.isOpen()])).toEqual([lost, lost]);
    logged.mockRestore();
    await stub.setDoor('open');
    expect(await hall.isOpen()).toBe(true);
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
    await expect.poll(() => other.callLater('three').catch(({ message }: Error) => message)).toMatch(/has ended|gone/);
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
