import { connection } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';

// What tools do with any value that they are given.

class Room extends RpcTarget {
  self(): Room {
    return this;
  }
  callback(): () => number {
    return () => 1;
  }
  size(): number {
    return 5;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tools do what types forbid
type Any = any;

async function stubs(): Promise<{ room: Any; kinds: Record<string, Any> }> {
  const room: Any = connectInMemory(new Room());
  const kinds = { target: room, reference: await room.self(), callback: await room.callback(), result: room.size() };
  await kinds.result;
  return { room, kinds };
}

/** Does something, and says how many frames were sent for it. */
async function framesFor(room: Any, use: () => unknown): Promise<number> {
  const before = connection(room).statistics.framesSent;
  use();
  await new Promise((resolve) => setTimeout(resolve));
  return connection(room).statistics.framesSent - before;
}

const KINDS = ['target', 'reference', 'callback', 'result'];

describe.each(KINDS)('of a %s', (kind) => {
  test('a test that fails says what was expected, and nothing is called', async () => {
    const { room, kinds } = await stubs();
    const shown = { callback: '[Function]', result: 'Promise{…}' }[kind] ?? 'RpcStub{}';
    const frames = await framesFor(room, () => {
      expect(() => expect(kinds[kind]).toBe(5)).toThrow(`expected ${shown} to be 5`);
      expect(() => expect({ kind: kinds[kind] }).toEqual({ kind: 5 })).toThrow(`{ kind: ${shown} }`);
      expect(() => expect([kinds[kind]]).toStrictEqual([{ size: 5 }])).toThrow(shown);
    });
    expect(frames).toBe(0);
  });

  test.each([
    ['old names of symbols', (stub: Any) => [stub['@@iterator'], stub['@@observable']]],
    ['asymmetric matchers', (stub: Any) => [stub.asymmetricMatch]],
    ['mocks', (stub: Any) => [stub._isMockFunction]],
    ['a form for JSON', (stub: Any) => [stub.toJSON]],
    ['symbols', (stub: Any) => [stub[Symbol.iterator], stub[Symbol.for('nodejs.util.inspect.custom')]]],
  ])('%s are not there to be called', async (_what, read) => {
    const { kinds } = await stubs();
    expect(read(kinds[kind]).every((member) => member === undefined)).toBe(true);
  });
});

test('a stub says what it is to whoever asks the language', async () => {
  const { room, kinds } = await stubs();
  const tags = KINDS.map((kind) => Object.prototype.toString.call(kinds[kind]));
  expect(tags).toEqual(['[object RpcStub]', '[object RpcStub]', '[object Function]', '[object Promise]']);
  expect(typeof room.constructor).toBe('function');
  expect(room.constructor.name).toBe('');
});

test('stubs of members are the same ones, as long as there are no more than a program is written with', async () => {
  const { room } = await stubs();
  const first = room.rooms['0'];
  for (let id = 1; id < 1000; id++) room.rooms[id];
  expect(room.rooms['0']).toBe(first);
  room.rooms['1000'];
  expect(room.rooms['0']).not.toBe(first);
  expect(room.rooms).toBe(room.rooms);
});
