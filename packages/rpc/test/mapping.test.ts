import { connection, RpcTarget, withOptions } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { callContext } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: tested untyped
type Any = any;

class User extends RpcTarget {
  readonly #id: number;
  readonly #ran: string[];
  constructor(id: number, ran: string[] = []) {
    super();
    this.#id = id;
    this.#ran = ran;
  }
  get id() {
    return this.#id;
  }
  get name() {
    return `user ${this.#id}`;
  }
  friend() {
    return new User(this.#id + 1, this.#ran);
  }
  isEven() {
    return this.#id % 2 === 0;
  }
  touch() {
    this.#ran.push(`touch ${this.#id}`);
  }
  greet(...names: unknown[]) {
    return [this.name, ...names].join(' greets ');
  }
  keep(value: { list: unknown[] }) {
    value.list.push(this.#id);
    return value;
  }
  odd() {
    this.#ran.push(`odd ${this.#id}`);
    if (this.isEven()) throw new RangeError(`${this.#id} is even`);
    return this.#id;
  }
  async oddLater() {
    await Promise.resolve();
    return this.odd();
  }
}

/** A target that takes callbacks itself. */
class Field extends RpcTarget {
  stored: ((value: unknown) => unknown) | undefined;
  map(callback: (value: unknown) => unknown, factor: number) {
    this.stored = callback;
    return Promise.all([1, 2].map((n) => callback(n * factor)));
  }
  later() {
    return this.stored!(7);
  }
}

class Api extends RpcTarget {
  readonly ran: string[] = [];
  readonly field = new Field();
  readonly rooms = [new User(70), new User(71)];
  waiting: PromiseWithResolvers<void> = Promise.withResolvers();
  closed = 0;
  users(count = 3) {
    return Array.from({ length: count }, (_, index) => new User(index, this.ran));
  }
  group() {
    return { members: this.users(2), title: 'group' };
  }
  usersByName() {
    return new Map(this.users().map((user) => [user.name, user]));
  }
  numbers() {
    return new Set([5, 6]);
  }
  *sequence(end: number) {
    try {
      for (let n = 0; n < end; n++) yield n;
    } finally {
      this.closed++;
    }
  }
  async *sequenceLater(end: number) {
    yield* this.sequence(end);
  }
  nested(count: number): unknown[] {
    return Array.from({ length: count }, () => Array.from({ length: count }, (_, index) => index));
  }
  value(value: unknown) {
    return value;
  }
  sum(...numbers: number[]) {
    return numbers.reduce((total, number) => total + number, 0);
  }
  once() {
    this.ran.push('once');
    return this.ran.length;
  }
  getField() {
    return this.field;
  }
  getRooms() {
    return this.rooms;
  }
  isRoom(room: unknown) {
    return this.rooms.includes(room as User);
  }
  async hold(n: number) {
    this.ran.push(`hold ${n}`);
    await this.waiting.promise;
    return n;
  }
  running = 0;
  most = 0;
  async briefly() {
    this.ran.push('briefly');
    this.most = Math.max(this.most, ++this.running);
    await new Promise((resolve) => setTimeout(resolve));
    return this.running--;
  }
  async *callers() {
    yield callContext().callId;
    await Promise.resolve();
    yield callContext().callId;
  }
  whoCalls() {
    return callContext().callId;
  }
  async mapRemotely(field: { get(): { map(callback: unknown): Promise<unknown> } }) {
    return await field.get().map((value: number) => `${value} ${this.rooms.length}`);
  }
  async callLater(callback: (value: unknown) => Promise<unknown>, value: unknown) {
    return await callback(value);
  }
}

function setup(options?: Parameters<typeof connectInMemory>[1]): {
  api: Api;
  stub: Any;
  frames: (run: () => unknown) => Promise<unknown>;
} {
  const api = new Api();
  const stub = connectInMemory(api, options) as Any;
  return {
    api,
    stub,
    async frames(run) {
      const before = connection(stub).statistics;
      await run();
      const { framesSent, framesReceived } = connection(stub).statistics;
      return { up: framesSent - before.framesSent, down: framesReceived - before.framesReceived };
    },
  };
}

describe('map()', () => {
  test('passes placeholders, data with placeholders and captures as arguments', async () => {
    const { api, stub, frames } = setup();
    const outside = stub.sum(40, 2);
    const result = stub
      .users(2)
      .map((user: Any) => user.greet(user.friend().name, outside, stub.once(), stub.sum(user.id, 1)));
    expect(await frames(() => result)).toEqual({ up: 1, down: 1 });
    expect(await result).toEqual([
      'user 0 greets user 1 greets 42 greets 1 greets 1',
      'user 1 greets user 2 greets 42 greets 2 greets 2',
    ]);
    expect(api.ran).toEqual(['once', 'once']);
  });

  test('evaluates what was called outside of the callback once', async () => {
    const { api, stub } = setup();
    const once = stub.once();
    expect(await stub.users().map(() => once)).toEqual([1, 1, 1]);
    expect(await stub.users().map((user: Any) => stub.sum(user.id, once))).toEqual([1, 2, 3]);
    expect(api.ran).toEqual(['once']);
  });

  test('takes as captures stubs of earlier turns: references, settled results, pending ones and mere steps', async () => {
    const { api, stub } = setup();
    const room = await stub.getRooms();
    const settled = stub.sum(1, 1);
    await settled;
    const step = stub.group();
    expect(await step.title).toBe('group');
    const pending = stub.hold(5);
    await stub.sum();
    const result = stub
      .users(2)
      .map((user: Any) => [stub.sum(user.id, settled), stub.isRoom(room[0]), step.title, pending]);
    await stub.sum();
    api.waiting.resolve();
    expect(await result).toEqual([
      [2, true, 'group', 5],
      [3, true, 'group', 5],
    ]);
  });

  test('takes arguments as they are when the call is made', async () => {
    const { stub } = setup();
    const result = await stub.users(1).map((user: Any) => {
      const value = { list: [1] };
      const kept = user.keep(value);
      value.list.push(2);
      return kept;
    });
    expect(result).toEqual([{ list: [1, 0] }]);
  });

  test('finds placeholders anywhere in the result', async () => {
    const { stub } = setup();
    const cause = new RangeError('because');
    const [result] = await stub.users(1).map((user: Any, index: Any) => ({
      map: new Map<unknown, unknown>([[user.name, index]]),
      set: new Set([user.name]),
      error: new Error('x', { cause: [user.name, cause] }),
      twice: [user.name, user.name, index],
    }));
    expect(result.map).toEqual(new Map([['user 0', 0]]));
    expect(result.set).toEqual(new Set(['user 0']));
    expect(result.error.cause).toEqual(['user 0', cause]);
    expect(result.twice).toEqual(['user 0', 'user 0', 0]);
  });

  test('carries undefined, in several places too', async () => {
    const { stub } = setup();
    const result = await stub.users(1).map(() => {
      const nothing = stub.value(undefined);
      return [nothing, { nothing }];
    });
    expect(result).toEqual([[undefined, { nothing: undefined }]]);
  });

  test('works on members, in maps, and one after the other', async () => {
    const { stub, frames } = setup();
    const nested = stub.nested(3).map((list: Any) => list.map((n: Any, at: Any) => stub.sum(n, at)));
    const groups = stub
      .group()
      .members.map((user: Any) => stub.group().members.map((other: Any) => user.greet(other.name)));
    const chained = stub
      .users(5)
      .filter((user: Any) => user.isEven())
      .map((user: Any) => user.friend())
      .map((user: Any) => user.id);
    expect(await frames(() => Promise.all([nested, groups, chained]))).toEqual({ up: 1, down: 1 });
    expect(await nested).toEqual([
      [0, 2, 4],
      [0, 2, 4],
      [0, 2, 4],
    ]);
    expect(await groups).toEqual([
      ['user 0 greets user 0', 'user 0 greets user 1'],
      ['user 1 greets user 0', 'user 1 greets user 1'],
    ]);
    expect(await chained).toEqual([1, 3, 5]);
  });

  test('of Maps, Sets, iterators and async iterables gives what each is made of', async () => {
    const { api, stub } = setup();
    const both = (value: Any, key: Any) => [value, key];
    expect(await stub.usersByName().map((user: Any, name: Any) => [user.id, name])).toEqual(
      new Map([0, 1, 2].map((id) => [`user ${id}`, [id, `user ${id}`]])),
    );
    expect(await stub.numbers().map(both)).toEqual([
      [5, 0],
      [6, 1],
    ]);
    expect(await stub.sequence(2).map(both)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(await stub.sequenceLater(2).map(both)).toEqual([
      [0, 0],
      [1, 1],
    ]);
    expect(api.closed).toBe(2);
  });

  test('returns references, which the server knows again', async () => {
    const { stub } = setup();
    const [room] = await stub.getRooms().map((room: Any) => room);
    expect(await room.name).toBe('user 70');
    expect(await stub.isRoom(room)).toBe(true);
  });

  test('goes on from a result that has arrived', async () => {
    const { stub, frames } = setup();
    const group = stub.group();
    await group;
    const cost = await frames(async () => {
      expect(await group.members.map((user: Any) => ({ name: user.friend().name }))).toEqual([
        { name: 'user 1' },
        { name: 'user 2' },
      ]);
    });
    expect(cost).toEqual({ up: 1, down: 1 });
    const rooms = stub.getRooms();
    await rooms;
    expect(await rooms.map((room: Any) => stub.isRoom(room))).toEqual([true, true]);
  });

  test('waits for a result that is on its way, and goes on from a step of an earlier turn', async () => {
    const { api, stub } = setup();
    const held = stub.hold(1);
    const lists = stub.value([held, held]);
    await stub.sum();
    const mapped = lists.map((n: Any) => stub.sum(n, 1));
    await stub.sum();
    api.waiting.resolve();
    expect(await mapped).toEqual([2, 2]);
    const users = stub.users();
    expect(await users.length).toBe(3);
    expect(await users.map((user: Any) => user.id)).toEqual([0, 1, 2]);
  });

  test('fails as the first element in order, and begins none after one that throws at once', async () => {
    const { api, stub } = setup();
    await expect(stub.users(5).map((user: Any) => user.odd())).rejects.toMatchObject({ message: '0 is even' });
    expect(api.ran).toEqual(['odd 0']);
    await expect(stub.users(4).map((user: Any) => user.friend().oddLater())).rejects.toMatchObject({
      name: 'RangeError',
      message: '2 is even',
    });
  });

  test('fails where a step of the callback fails that its result does not use', async () => {
    const { api, stub } = setup();
    const callback = (user: Any) => {
      user.odd();
      user.touch();
      return user.id;
    };
    await expect(stub.users(1).map(callback)).rejects.toMatchObject({ message: '0 is even' });
    expect(api.ran).toEqual(['odd 0']);
    const later = (user: Any) => {
      user.oddLater();
      return user.id;
    };
    await expect(stub.users(1).map(later)).rejects.toMatchObject({ message: '0 is even' });
    const twice = (user: Any) => {
      const id = user.odd();
      return [id, id, user.greet(id)];
    };
    await expect(stub.users(1).map(twice)).rejects.toMatchObject({ message: '0 is even' });
  });

  test('with settle says of each element what became of it, and tells the server of errors', async () => {
    const told: unknown[] = [];
    const { stub } = setup({ onError: (error) => told.push(error) });
    for (const method of ['odd', 'oddLater']) {
      expect(await stub.users(3).map((user: Any) => user[method](), { settle: true })).toEqual([
        { status: 'rejected', reason: new RangeError('0 is even') },
        { status: 'fulfilled', value: 1 },
        { status: 'rejected', reason: new RangeError('2 is even') },
      ]);
    }
    const byName = await stub.usersByName().map((user: Any) => user.odd(), { settle: true });
    expect(byName.get('user 1')).toEqual({ status: 'fulfilled', value: 1 });
    expect(told).toHaveLength(6);
  });

  test('passes functions of the client, which each element gets', async () => {
    const { stub } = setup();
    const seen: unknown[] = [];
    const callback = (value: unknown) => {
      seen.push(value);
      return seen.length;
    };
    expect(await stub.users(2).map((user: Any) => stub.callLater(callback, user.name))).toEqual([1, 2]);
    expect(seen).toEqual(['user 0', 'user 1']);
  });

  test('of what a client returned calls its method, with the callback by reference', async () => {
    const { stub } = setup();
    class Page extends RpcTarget {
      get() {
        return new ClientField();
      }
    }
    class ClientField extends RpcTarget {
      map(callback: (value: number) => Promise<unknown>) {
        return Promise.all([callback(1), callback(2)]);
      }
    }
    expect(await stub.mapRemotely(new Page())).toEqual(['1 2', '2 2']);
  });

  test('runs in the context of its call', async () => {
    const { stub } = setup();
    const [first, second] = await stub.users(2).map(() => stub.whoCalls());
    expect(first).toBe(second);
    const [early, late] = await stub.callers().map((id: Any) => id);
    expect(early).toBe(late);
  });

  test('obeys the options of the stub that it is called on', async () => {
    const { api, stub } = setup();
    const controller = new AbortController();
    const limited = withOptions(stub, { signal: controller.signal });
    const held = limited.users(2).map((user: Any) => limited.hold(user.id));
    await stub.sum();
    controller.abort();
    await expect(held).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(api.ran).toHaveLength(2);
    expect(() => stub.users(2).map((user: Any) => limited.hold(user.id))).toThrow(/options of its own/);
  });

  test('reaches no more than calls do', async () => {
    const { stub } = setup();
    for (const name of ['constructor', '__proto__', 'toString', '#id', 'ran']) {
      await expect(stub.users(1).map((user: Any) => user[name])).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
      await expect(stub.users(1).map((user: Any) => user[name]())).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    }
  });
});

describe('filter()', () => {
  test('keeps the elements for which the callback gives something truthy', async () => {
    const { stub, frames } = setup();
    const kept = stub.users(5).filter((user: Any) => user.isEven());
    expect(await frames(() => kept.map((user: Any) => user.id))).toEqual({ up: 1, down: 1 });
    expect(await stub.value([0, '', 'a', null, 3]).filter((value: Any) => value)).toEqual(['a', 3]);
    expect(await stub.users(3).filter((_user: Any, index: Any) => index)).toHaveLength(2);
  });

  test('keeps entries of Maps, and makes lists of the rest', async () => {
    const { stub } = setup();
    const entries = new Map<unknown, unknown>([
      ['a', 0],
      ['b', 1],
    ]);
    expect(await stub.value(entries).filter((value: Any) => value)).toEqual(new Map([['b', 1]]));
    expect(await stub.numbers().filter((n: Any) => stub.sum(n, -5))).toEqual([6]);
    expect(await stub.sequenceLater(3).filter((n: Any) => n)).toEqual([1, 2]);
  });

  test('fails as the first element that fails', async () => {
    const { stub } = setup();
    await expect(stub.users(3).filter((user: Any) => user.friend().oddLater())).rejects.toMatchObject({
      message: '2 is even',
    });
  });
});

describe('limits', () => {
  test('bound the elements, and end the iterator', async () => {
    const { api, stub } = setup({ limits: { maxMapElements: 10 } });
    expect(await stub.users(10).map((user: Any) => user.id)).toHaveLength(10);
    for (const [method, count] of Object.entries({ users: 11, sequence: 1e9, sequenceLater: 1e9 })) {
      await expect(stub[method](count).map((item: Any) => item)).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        message: expect.stringContaining('maxMapElements of 10'),
      });
    }
    expect(api.closed).toBe(2);
  });

  test('bound what all recordings of a frame come to, also where failures are wanted as values', async () => {
    const { stub } = setup({ limits: { maxMapOperations: 500 } });
    const each = (list: Any) => list.map((n: Any) => stub.sum(n));
    expect(await stub.nested(10).map(each)).toHaveLength(10);
    for (const options of [{}, { settle: true }]) {
      await expect(stub.nested(15).map(each, options)).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        message: expect.stringContaining('maxMapOperations of 500'),
      });
    }
    const outcomes = await Promise.allSettled(Array.from({ length: 3 }, () => stub.nested(10).map(each)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });
});
