import { connection } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { transform } from 'esbuild';
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

describe('a method that is used as a function', () => {
  class Phone extends RpcTarget {
    call(...args: unknown[]): unknown[] {
      return ['called', ...args];
    }
    apply(...args: unknown[]): unknown[] {
      return ['applied', ...args];
    }
    bind(...args: unknown[]): unknown[] {
      return ['bound', ...args];
    }
  }
  class Sums extends RpcTarget {
    get phone(): Phone {
      return new Phone();
    }
    get own(): Sums {
      return this;
    }
    sum(...numbers: number[]): number {
      return numbers.reduce((total, number) => total + number, 0);
    }
    itself(): Sums {
      return this;
    }
    adder(): (by: number) => number {
      return (by) => by + 1;
    }
  }
  class Component {
    readonly secret = Symbol('cannot be sent');
  }
  const setup = (): Any => connectInMemory(new Sums());

  test.each<[string, (method: Any, stub: Any) => unknown]>([
    ['call', (method, stub) => method.call(stub, 1, 2, 3)],
    ['call, without this', (method) => method.call(undefined, 1, 2, 3)],
    ['call, with null', (method) => method.call(null, 1, 2, 3)],
    ['call, with the global object', (method) => method.call(globalThis, 1, 2, 3)],
    ['call, with an object of a class', (method) => method.call(new Component(), 1, 2, 3)],
    ['apply', (method, stub) => method.apply(stub, [1, 2, 3])],
    ['apply, with an object', (method) => method.apply({ of: Symbol('it') }, [1, 2, 3])],
    ['apply, with what is like a list', (method) => method.apply(null, { length: 3, 0: 1, 1: 2, 2: 3 })],
    ['bind', (method, stub) => method.bind(stub)(1, 2, 3)],
    ['bind, with arguments', (method) => method.bind(null, 1).bind(undefined, 2)(3)],
    ['bind, with an object of a class', (method) => method.bind(new Component(), 1, 2)(3)],
    ['bind and apply', (method, stub) => method.bind(stub).apply(null, [1, 2, 3])],
    ['Reflect.apply', (method) => Reflect.apply(method, undefined, [1, 2, 3])],
  ])('by %s makes the call', async (_how, use) => {
    const stub = setup();
    using itself = await stub.itself();
    expect(await use(stub.sum, stub)).toBe(6);
    expect(await use(stub.own.sum, stub.own)).toBe(6);
    expect(await use(itself.sum, itself)).toBe(6);
    const pending = stub.itself();
    expect(await use(pending.own.sum, pending.own)).toBe(6);
    expect(connection(stub).statistics.callsInFlight).toBe(0);
  });

  test.each(['es2019', 'es2020'])('by ?.() makes the call, compiled for %s', async (target) => {
    const code = `const [stub] = args; return Promise.all([
      stub.sum?.(1, 2), stub?.own?.sum?.(3), stub.own.own?.sum?.(...[4, 5]), stub.itself?.().sum(6),
    ])`;
    const { code: lowered } = await transform(`(function(...args) {${code}})`, { target });
    expect(lowered.includes('.call(')).toBe(target === 'es2019');
    const run = new Function(`return ${lowered}`)();
    expect(await run(setup())).toEqual([3, 3, 9, 6]);
  });

  test('goes through a wrapper that keeps this', async () => {
    const stub = setup();
    const wrapped = (method: Any) =>
      function (this: unknown, ...args: unknown[]) {
        return method.apply(this, args);
      };
    expect(await wrapped(stub.sum)(1, 2)).toBe(3);
    expect(await Object.assign(new Component(), { sum: wrapped(stub.sum) }).sum(1, 2)).toBe(3);
    expect(await { sum: wrapped(stub.sum) }.sum(1, 2)).toBe(3);
  });

  test('is a function of the other side, too', async () => {
    const stub = setup();
    using add: Any = await stub.adder();
    expect(await Promise.all([add.call(null, 1), add.apply({}, [2]), add.bind(stub)(3), add.bind(stub, 4)()])).toEqual([
      2, 3, 4, 5,
    ]);
  });

  test.each<[string, (phone: Any) => unknown, unknown[]]>([
    ['call', (phone) => phone.call('Ada', 1), ['called', 'Ada', 1]],
    ['call without arguments', (phone) => phone.call(), ['called']],
    ['call with data', (phone) => phone.call({ to: 'Ada' }), ['called', { to: 'Ada' }]],
    ['call with a date', (phone) => phone.call(new Date(0)), ['called', new Date(0)]],
    ['apply', (phone) => phone.apply('Ada'), ['applied', 'Ada']],
    ['apply with text and a list', (phone) => phone.apply('Ada', [1]), ['applied', 'Ada', [1]]],
    ['apply with nothing and text', (phone) => phone.apply(null, 'Ada'), ['applied', null, 'Ada']],
    ['call with a target', async (phone) => (await phone.call(new Phone())).slice(0, 1), ['called']],
    ['apply with a list', (phone) => phone.apply(['Ada']), ['applied', ['Ada']]],
    ['apply with data', (phone) => phone.apply({ to: 'Ada' }, 5), ['applied', { to: 'Ada' }, 5]],
    ['bind', (phone) => phone.bind(80), ['bound', 80]],
    ['bind with data', (phone) => phone.bind({ port: 80 }), ['bound', { port: 80 }]],
  ])('is none that is declared by the name of %s', async (_name, use, expected) => {
    const stub = setup();
    using phone = await stub.phone;
    expect(await use(stub.phone)).toEqual(expected);
    expect(await use(phone)).toEqual(expected);
    expect(await use(stub.itself().phone)).toEqual(expected);
  });

  test('declared by such a name keeps its meaning, whatever it is given', async () => {
    const root: Any = connectInMemory(new Phone());
    expect(
      await Promise.all([root.call(null, 1), root.apply(undefined, [2]), root.bind(), root.call(new Phone())]),
    ).toEqual([['called', null, 1], ['applied', undefined, [2]], ['bound'], ['called', expect.anything()]]);
    // Such a method is a method.
    expect(
      await Promise.all([root.call.call(root, 1), root.bind.apply(null, [2]), root.apply.bind(null, 3)()]),
    ).toEqual([
      ['called', 1],
      ['bound', 2],
      ['applied', 3],
    ]);
  });
});
