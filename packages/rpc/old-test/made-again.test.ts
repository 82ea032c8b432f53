import { connection, connectOver, RpcTarget, withOptions } from '@lumenize/rpc';
import { observeCalls } from '@lumenize/rpc/observe';
import { type Caller, callContext, type ServeOptions, serveOver } from '@lumenize/rpc/server';
import { type TestConnection, TestNetwork, testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test } from 'vitest';
import { memoryTransport } from '../src/transport/memory.ts';
import { until } from './support/serve.ts';

// What is made again over another connection is as if it had been made over that one.

test('tells the method of a call that was made again that its caller has given up', async () => {
  const signals: AbortSignal[] = [];
  class Api extends RpcTarget {
    static readonly rpc = { wait: { idempotent: true } };
    wait(): Promise<void> {
      signals.push(callContext().signal);
      return new Promise(() => {});
    }
  }
  using api = testConnection(() => new Api());
  const caller = new AbortController();
  const call = withOptions(api.stub, { signal: caller.signal }).wait();
  await until(() => signals.length === 1);
  api.cut();
  await until(() => signals.length === 2);
  caller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  await until(() => signals[1].aborted);
});

test('passes an argument again that is an aborted signal', async () => {
  const reasons: unknown[] = [];
  class Api extends RpcTarget {
    static readonly rpc = { watch: { idempotent: true } };
    watch(signal: AbortSignal): unknown {
      reasons.push(signal?.reason);
      return reasons.length < 2 ? new Promise(() => {}) : reasons;
    }
  }
  using api = testConnection(() => new Api());
  const watched = api.stub.watch(AbortSignal.abort('seen enough'));
  await until(() => reasons.length === 1);
  api.cut();
  expect(await watched).toEqual(['seen enough', 'seen enough']);
});

describe('a call that was given up, and is made again for a call that uses its result,', () => {
  class Api extends RpcTarget {
    static readonly rpc = { wait: { idempotent: true }, add: { idempotent: true } };
    readonly signals: AbortSignal[] = [];
    isPatient = true;
    async wait(): Promise<number> {
      const { signal } = callContext();
      this.signals.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => !this.isPatient && resolve(7)));
    }
    add(n: number): number {
      return n + 1;
    }
  }

  test.each([
    [0, 'before the loss'],
    [0, 'after the loss'],
    [3, 'before the loss'],
    [3, 'after the loss'],
  ])('is told so again: after %i earlier losses, %s', async (losses, when) => {
    const target = new Api();
    using api = testConnection(() => target);
    const caller = new AbortController();
    const waited = withOptions(api.stub, { signal: caller.signal }).wait();
    const failed = expect(waited).rejects.toMatchObject({ code: 'CANCELLED' });
    const added = api.stub.add(waited);
    for (let runs = 1; runs <= losses; runs++) {
      await until(() => target.signals.length >= runs);
      api.cut();
    }
    await until(() => target.signals.length > losses);
    if (when === 'after the loss') api.cut();
    caller.abort();
    await failed;
    await until(() => target.signals[losses].aborted);
    target.isPatient = false;
    if (when === 'before the loss') api.cut();
    expect(await added).toBe(8);
    expect(target.signals.at(-1)!.aborted).toBe(true);
  });
});

test('does not make an exactly-once call again that was given up, and says why to a call that uses its result', async () => {
  const ran: string[] = [];
  class Shop extends RpcTarget {
    static readonly rpc = { order: { exactlyOnce: true }, ship: { exactlyOnce: true }, look: { readOnly: true } };
    order(): number {
      return ran.push('order');
    }
    ship(_id: number): void {
      ran.push('ship');
    }
    look(): void {}
  }
  using shop = testConnection(() => new Shop());
  await shop.stub.look();
  shop.cutDuring('up');
  const held = shop.hold('up');
  const caller = new AbortController();
  const order = withOptions(shop.stub, { signal: caller.signal }).order();
  const given = expect(order).rejects.toMatchObject({ code: 'CANCELLED' });
  const message = 'order() may have run before the connection was lost, and has no stored result';
  const shipped = expect(shop.stub.ship(order)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', message });
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  await given;
  held.release();
  await shipped;
  expect(ran).toEqual([]);
});

test('forgets the results of steps that were made again', async () => {
  let disposed = 0;
  class Room extends RpcTarget {
    static readonly rpc = { name: { idempotent: true } };
    name(): string {
      return 'lobby';
    }
    [Symbol.dispose](): void {
      disposed++;
    }
  }
  class House extends RpcTarget {
    static readonly rpc = { room: { idempotent: true }, counts: { readOnly: true } };
    room(): Room {
      return new Room();
    }
    counts() {
      return callContext().counts;
    }
  }
  using house = testConnection(() => new House());
  await house.stub.counts();
  house.cutDuring('down');
  const room = house.stub.room();
  expect(await room.name()).toBe('lobby');
  expect(await house.stub.counts()).toMatchObject({ heldResults: 1 });
  room[Symbol.dispose]();
  await house.stub.counts(); // takes it along
  expect(await house.stub.counts()).toMatchObject({ heldResults: 0 });
  expect(disposed).toBe(2);
});

test('keeps no result of a call that was made again only for another one', async () => {
  let runs = 0;
  class Api extends RpcTarget {
    static readonly rpc = { one: { idempotent: true }, add: { idempotent: true }, counts: { readOnly: true } };
    one(): number {
      return 1;
    }
    async add(n: number): Promise<number> {
      if (++runs === 1) await new Promise(() => {});
      return n + 1;
    }
    counts() {
      return callContext().counts;
    }
  }
  using api = testConnection(() => new Api());
  const one = api.stub.one();
  const two = api.stub.add(one);
  expect(await one).toBe(1);
  api.cut();
  expect(await two).toBe(2);
  expect(await api.stub.counts()).toMatchObject({ heldResults: 0 });
});

test('passes a result again that had arrived when it was passed', async () => {
  const added: unknown[] = [];
  class Api extends RpcTarget {
    static readonly rpc = { add: { idempotent: true } };
    one(): number {
      return 1;
    }
    async add(n: number): Promise<number> {
      if (added.push(n) === 1) await new Promise(() => {});
      return n + 1;
    }
  }
  using api = testConnection(() => new Api());
  const one = api.stub.one();
  await one;
  const two = api.stub.add(one);
  await until(() => added.length === 1);
  api.cut();
  expect(await two).toBe(2);
  expect(added).toEqual([1, 1]);
});

describe('calls of one frame that are made again one after the other, because each may be why it is lost', () => {
  interface Run {
    readonly signal: AbortSignal;
    open(room: Room): void;
  }

  class Room extends RpcTarget {
    static readonly rpc = { name: { idempotent: true }, size: { idempotent: true } };
    isDisposed = false;
    readonly #size: Promise<number>;
    constructor(size: Promise<number>) {
      super();
      this.#size = size;
    }
    name(): string {
      return 'lobby';
    }
    size(): Promise<number> {
      return this.#size;
    }
    [Symbol.dispose](): void {
      this.isDisposed = true;
    }
  }

  function setup() {
    const runs: Run[] = [];
    class House extends RpcTarget {
      static readonly rpc = { room: { idempotent: true }, counts: { readOnly: true } };
      room(): Promise<Room> {
        const { signal } = callContext();
        return new Promise((open, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          runs.push({ signal, open });
        });
      }
      counts() {
        return callContext().counts;
      }
    }
    const house = testConnection(() => new House());
    return { house, runs };
  }

  test('join the step that runs for one of them, and is kept as one', async () => {
    const { house, runs } = setup();
    using _ = house;
    const room = house.stub.room();
    const calls = Promise.all([room.name(), room.size()]);
    for (let losses = 1; losses <= 2; losses++) {
      await until(() => runs.length === losses);
      house.cut();
    }
    await until(() => runs.length === 3);
    const { framesSent } = connection(house.stub).statistics;
    await until(() => connection(house.stub).statistics.framesSent > framesSent);
    await house.stub.counts(); // behind what was sent
    expect([runs.length, runs[2].signal.aborted]).toEqual([3, false]);
    const opened = new Room(Promise.resolve(5));
    runs[2].open(opened);
    expect(await calls).toEqual(['lobby', 5]);
    expect(await house.stub.counts()).toMatchObject({ heldResults: 1 });
    room[Symbol.dispose]();
    await house.stub.counts(); // takes it along
    expect(await house.stub.counts()).toMatchObject({ heldResults: 0 });
    expect(opened.isDisposed).toBe(true);
  });

  test('are observed to end as often as they begin, where the step is asked for as well', async () => {
    let begun = 0;
    let ended = 0;
    const opens: (() => void)[] = [];
    class Api extends RpcTarget {
      static readonly rpc = { open: { idempotent: true }, name: { idempotent: true } };
      open(): Promise<string> {
        return new Promise((resolve) => opens.push(() => resolve('lobby')));
      }
      name(room: string): string {
        return room;
      }
    }
    const observe = observeCalls(({ direction, method }) => {
      if (direction !== 'incoming' || method !== 'open') return undefined;
      begun++;
      return { end: () => void ended++ };
    });
    using api = testConnection(() => new Api(), { observe });
    const room = api.stub.open();
    const named = api.stub.name(room).then(String);
    await until(() => opens.length === 1);
    const asked = Promise.resolve(room);
    for (const losses of [2, 3]) {
      await new Promise((resolve) => setImmediate(resolve));
      api.cut();
      await until(() => opens.length === losses);
    }
    await until(() => api.transcript().match(/up resent/g)?.length === 3);
    for (const open of opens) open();
    expect(await Promise.all([named, asked])).toEqual(['lobby', 'lobby']);
    expect([begun, ended]).toEqual([3, 3]);
  });

  test('have its result until the last of them has ended, where the step was answered before', async () => {
    const { house, runs } = setup();
    using _ = house;
    const room = house.stub.room();
    const calls = [room.name(), room.size()];
    const answered = Promise.resolve(room);
    await until(() => runs.length === 1);
    const never = new Promise<never>(() => {});
    class Hanging extends Room {
      override name(): never {
        return never as never;
      }
    }
    runs[0].open(new Hanging(never));
    await answered;
    house.cut();
    await until(() => runs.length === 2);
    house.cut();
    await until(() => runs.length === 3);
    const { framesSent } = connection(house.stub).statistics;
    await until(() => connection(house.stub).statistics.framesSent > framesSent);
    await house.stub.counts(); // behind what was sent
    expect(runs).toHaveLength(3);
    const size = Promise.withResolvers<number>();
    const opened = new Room(size.promise);
    runs[2].open(opened);
    expect(await calls[0]).toBe('lobby');
    expect(await house.stub.counts()).toMatchObject({ heldResults: 1 });
    expect(opened.isDisposed).toBe(false);
    size.resolve(5);
    expect(await calls[1]).toBe(5);
    expect(await house.stub.counts()).toMatchObject({ heldResults: 0 });
    expect(opened.isDisposed).toBe(true);
  });
});

describe.each(['', ' and waits behind another one'])(
  'the result of an exactly-once call that is an argument of its own turn%s',
  (waits) => {
    class Shop extends RpcTarget {
      static readonly rpc = {
        order: { exactlyOnce: true },
        ship: { exactlyOnce: true },
        look: { idempotent: true },
        keep: { idempotent: true },
      };
      readonly done: string[] = [];
      order(id: number) {
        this.done.push(`order ${id}`);
        return { id };
      }
      ship({ id }: { id: number }): string {
        this.done.push(`ship ${id}`);
        return `shipped ${id}`;
      }
      look(): string {
        return 'looked';
      }
      keep(_blob: Blob): void {}
    }

    /** Calls in one turn, and what has become of them. */
    function setup() {
      const shop = testConnection(() => new Shop());
      // Its bytes have to be read first.
      if (waits !== '') shop.stub.keep(new Blob(['a'])).catch(() => {});
      const order = shop.stub.order(1);
      return { shop, order, shipped: shop.stub.ship(order) };
    }

    async function expectOnce(shop: TestConnection<Shop>, shipped: PromiseLike<string>) {
      expect(await shipped).toBe('shipped 1');
      expect(shop.target?.done).toEqual(['order 1', 'ship 1']);
    }

    test('arrives where it is asked for before the connection is lost', async () => {
      const { shop, order, shipped } = setup();
      using _ = shop;
      const held = shop.hold('down');
      await held.caught(1);
      const asked = [Promise.resolve(order), Promise.resolve(order.id)];
      await held.caught(2);
      shop.cut();
      held.release();
      expect(await Promise.all(asked)).toEqual([{ id: 1 }, 1]);
      await expectOnce(shop, shipped);
      expect(await order).toEqual({ id: 1 });
    });

    test('arrives where it is asked for when the call that it is an argument of has been answered, and its own answer is lost', async () => {
      const { shop, order, shipped } = setup();
      using _ = shop;
      await expectOnce(shop, shipped);
      for (const losses of [1, 2]) {
        shop.cutDuring('down');
        expect(await Promise.all([losses === 1 ? order : order.id, shop.stub.look()])).toEqual([
          losses === 1 ? { id: 1 } : 1,
          'looked',
        ]);
      }
      expect(shop.target?.done).toHaveLength(2);
    });

    test('arrives where it is asked for while there is no connection', async () => {
      const { shop, order, shipped } = setup();
      using _ = shop;
      const held = shop.hold('down');
      await held.caught(1);
      shop.cut();
      held.release();
      expect(connection(shop.stub).state).toBe('reconnecting');
      expect(await Promise.all([order, order.id, shop.stub.ship(order)])).toEqual([{ id: 1 }, 1, 'shipped 1']);
      expect(await shipped).toBe('shipped 1');
      expect(shop.target?.done).toEqual(['order 1', 'ship 1', 'ship 1']);
    });

    test('arrives where it is asked for when the calls have been sent again', async () => {
      const { shop, order, shipped } = setup();
      using _ = shop;
      shop.cutDuring('down');
      await expectOnce(shop, shipped);
      expect(await Promise.all([order, order.id])).toEqual([{ id: 1 }, 1]);
      expect(shop.target?.done).toHaveLength(2);
    });

    test('is not made once more where it was let go of before the connection was lost', async () => {
      const { shop, order, shipped } = setup();
      using _ = shop;
      await expectOnce(shop, shipped);
      await shop.stub.look(); // takes along that nobody needs it
      shop.cutDuring('down');
      await expect(Promise.resolve(order)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      shop.cut();
      await expect(Promise.resolve(order)).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
      expect(shop.target?.done).toHaveLength(2);
    });
  },
);

test.each<[change: string, options: ServeOptions]>([
  ['refuses its frame', { limits: { maxOperationsPerFrame: 1 } }],
  ['has no such method', {}],
])('may have run if a new version of the server %s', async (change, options) => {
  let runs = 0;
  class Api extends RpcTarget {
    add(): number {
      return ++runs;
    }
  }
  class Empty extends RpcTarget {}
  const network = new TestNetwork();
  const versions = [
    { target: new Api(), options: {} },
    { target: change === 'has no such method' ? new Empty() : new Api(), options },
  ];
  const served = memoryTransport((channel) => {
    const { target, options } = versions.shift()!;
    return serveOver(channel, target, options);
  });
  const open: typeof served = (events, offer) => ({ ...served(events, offer), probe: () => events.alive() });
  const quick = { reconnect: { minDelayMs: 1 }, wrapTransport: network.wrap };
  using api = connectOver<Api>(open, 'a target in memory', quick);
  network.cutDuring('down');
  const calls = [api.add(), api.add()].map((call) => expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' }));
  await Promise.all(calls);
  expect([runs, versions]).toEqual([2, []]);
});

test.each(['guard', 'method'])(
  'is known again by the arguments that it had before its %s changed them',
  async (who) => {
    let runs = 0;
    class Api extends RpcTarget {
      static readonly rpc = {
        add: {
          exactlyOnce: true,
          guard: (_caller: Caller, list: number[]) => {
            if (who === 'guard') list.push(1);
            return Promise.resolve(true);
          },
        },
      };
      add(list: number[]): number {
        if (who === 'method') list.push(1);
        runs++;
        return list.length;
      }
    }
    using api = testConnection(() => new Api());
    api.cutDuring('down');
    expect([await api.stub.add([]), runs]).toEqual([1, 1]);
  },
);

test('takes no word that a step is stored for its result, where it has been asked for and its user is answered first', async () => {
  let runs = 0;
  const shown: string[] = [];
  class Api extends RpcTarget {
    static readonly rpc = { add: { exactlyOnce: true }, show: { idempotent: true }, look: { readOnly: true } };
    add(): number {
      return ++runs;
    }
    show(n: number): Promise<string> | string {
      return shown.push(`${n}`) < 3 ? new Promise<never>(() => {}) : `shown ${n}`;
    }
    look(): void {}
  }
  using api = testConnection(() => new Api());
  const sum = api.stub.add();
  const seen = api.stub.show(sum).then(async (text) => {
    await api.stub.look(); // must not take along that the result has arrived
    return text;
  });
  await until(() => shown.length === 1);
  const held = api.hold('down');
  const asked = Promise.resolve(sum);
  await held.caught(1);
  // Lost twice, they are suspected of being why: each is sent by itself.
  api.cutDuring('down');
  api.cut();
  held.release();
  expect(await Promise.all([seen, asked])).toEqual(['shown 1', 1]);
  expect(runs).toBe(1);
  await api.stub.look(); // takes along that the result has arrived
  expect(api.transcript().match(/acknowledge [^\n]*/g)).toEqual(['acknowledge $1']);
});

test('says again that a stored result has arrived where the frame that said so is lost and not sent again', async () => {
  class Api extends RpcTarget {
    static readonly rpc = { add: { exactlyOnce: true }, look: { readOnly: true } };
    add(): number {
      return 1;
    }
    async ask(callback: () => unknown): Promise<void> {
      await callback();
    }
    look(): void {}
  }
  using api = testConnection(() => new Api());
  const told = () => api.transcript().match(/acknowledge [^\n]*/g);
  expect(await api.stub.add()).toBe(1);
  api.cutDuring('up');
  // What it passes goes with the connection, and so does the call.
  await expect(api.stub.ask(() => {})).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect(told()).toEqual(['acknowledge $1']);
  await api.stub.look();
  expect(told()).toEqual(['acknowledge $1', 'acknowledge $1']);
  api.cut();
  await api.stub.look();
  expect(told()).toHaveLength(2);
});

test('says again that a stored result has arrived where all calls of the frame that said so were given up before it was sent', async () => {
  class Api extends RpcTarget {
    static readonly rpc = { add: { exactlyOnce: true }, look: { readOnly: true } };
    add(): number {
      return 1;
    }
    look(): void {}
  }
  using api = testConnection(() => new Api());
  const { stub } = api;
  expect(await stub.add()).toBe(1);
  api.cut();
  const controller = new AbortController();
  const call = withOptions(stub, { signal: controller.signal }).look();
  // It waits for a connection when its turn has ended.
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  await stub.look();
  await stub.look();
  expect(api.transcript().match(/acknowledge [^\n]*/g)).toEqual(['acknowledge $1']);
});

test.each(['another call uses', 'nobody uses'])(
  'says that the stored result of a call has arrived that was given up, and that %s',
  async (use) => {
    class Api extends RpcTarget {
      static readonly rpc = { add: { exactlyOnce: true }, keep: { idempotent: true }, look: { readOnly: true } };
      readonly kept = Promise.withResolvers<string>();
      add(): number {
        return 1;
      }
      keep(_n: number): Promise<string> {
        return this.kept.promise;
      }
      look(): void {}
    }
    using api = testConnection(() => new Api());
    const told = () => api.transcript().match(/acknowledge [^\n]*/g);
    const held = api.hold('down');
    const caller = new AbortController();
    const sum = withOptions(api.stub, { signal: caller.signal }).add();
    const failed = expect(sum).rejects.toMatchObject({ code: 'CANCELLED' });
    const kept = api.stub.keep(use === 'nobody uses' ? 1 : sum).then(String);
    await held.caught(1);
    caller.abort();
    await failed;
    held.release();
    await api.stub.look();
    await api.stub.look();
    expect(told()).toEqual(use === 'nobody uses' ? ['acknowledge $1'] : null);
    api.cut();
    api.target?.kept.resolve('kept');
    expect(await kept).toBe('kept');
    await api.stub.look();
    expect(told()).toEqual(['acknowledge $1']);
  },
);

test('does not begin what was given up while there was no connection, nor steps for it', async () => {
  const ran: string[] = [];
  class Room extends RpcTarget {
    enter(): void {
      ran.push('enter');
    }
  }
  class House extends RpcTarget {
    open(name: string): Room {
      ran.push(`open ${name}`);
      return new Room();
    }
    look(): void {
      ran.push('look');
    }
  }
  using house = testConnection(() => new House());
  await house.stub.look();
  house.cut();
  const held = house.hold('up');
  const caller = new AbortController();
  const room = house.stub.open('shared');
  const given = [
    withOptions(house.stub.open('own'), { signal: caller.signal }).enter(),
    withOptions(room, { signal: caller.signal }).enter(),
  ].map((call) => expect(call).rejects.toMatchObject({ code: 'CANCELLED' }));
  const calls = Promise.all([room.enter(), house.stub.look()]);
  // They wait for a connection when their turn has ended.
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  await Promise.all(given);
  held.release();
  await calls;
  expect(ran).toEqual(['look', 'open shared', 'enter', 'look']);
});

test('begins what another call uses of the calls that were given up while there was no connection', async () => {
  class Room extends RpcTarget {
    name(): string {
      return 'attic';
    }
  }
  class House extends RpcTarget {
    open(): Room {
      return new Room();
    }
    say(what: string): string {
      return what;
    }
  }
  using house = testConnection(() => new House());
  await house.stub.say('hello');
  house.cut();
  const caller = new AbortController();
  const name = withOptions(house.stub.open(), { signal: caller.signal }).name();
  const again = withOptions(house.stub, { signal: caller.signal }).say(name);
  const given = [name, again].map((call) => expect(call).rejects.toMatchObject({ code: 'CANCELLED' }));
  const said = house.stub.say(again);
  await new Promise((resolve) => setImmediate(resolve));
  caller.abort();
  await Promise.all(given);
  expect(await said).toBe('attic');
});

test.each([0, 1])('tells who uses a step that never began that it is gone, beside %i other calls', async (others) => {
  class Room extends RpcTarget {
    enter(): void {}
  }
  class House extends RpcTarget {
    open(): Room {
      return new Room();
    }
    look(): void {}
  }
  using house = testConnection(() => new House());
  const caller = new AbortController();
  const room = house.stub.open();
  const given = withOptions(room, { signal: caller.signal }).enter();
  const calls = Array.from({ length: others }, () => house.stub.look());
  await Promise.resolve(); // the frame is finished, and waits for the connection
  caller.abort();
  await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
  await Promise.all([...calls, house.stub.look()]);
  await expect(room.enter()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
});

test('answers a step that is asked for while its frame waits for a new token, and whose connection is lost then', async () => {
  const done: string[] = [];
  class Shop extends RpcTarget {
    order(id: number): { id: number } {
      done.push(`order ${id}`);
      return { id };
    }
    ship({ id }: { id: number }): string {
      done.push(`ship ${id}`);
      return `shipped ${id}`;
    }
  }
  const { promise } = Promise.withResolvers<never>();
  const options = { identity: 'ada', token: () => 'a token', reauthenticate: () => promise };
  using shop = testConnection(() => new Shop(), options);
  await shop.stub.ship({ id: 0 });
  connection(shop.stub)
    .authenticate()
    .catch(() => {});
  await until(() => shop.transcript().includes('token'));
  const order = shop.stub.order(1);
  const shipped = shop.stub.ship(order);
  await new Promise((resolve) => setImmediate(resolve));
  const asked = Promise.resolve(order);
  await new Promise((resolve) => setImmediate(resolve));
  shop.cut();
  expect(await Promise.all([shipped, asked])).toEqual(['shipped 1', { id: 1 }]);
  expect(done).toEqual(['ship 0', 'order 1', 'ship 1']);
});

describe('a frame that waits for a new token, and says that a reference is let go of,', () => {
  class Room extends RpcTarget {
    static readonly rpc = { name: { idempotent: true } };
    readonly #name: string;
    constructor(name: string) {
      super();
      this.#name = name;
    }
    name(): string {
      return this.#name;
    }
  }

  class House extends RpcTarget {
    static readonly rpc = { room: { idempotent: true }, counts: { readOnly: true } };
    readonly opened: string[] = [];
    room(name: string): Room {
      this.opened.push(name);
      return new Room(name);
    }
    counts() {
      return callContext().counts;
    }
  }

  /** Makes calls in one turn that wait for a new token, and lets go of a room that was open before. */
  async function setup() {
    const decided = Promise.withResolvers<string>();
    const options = { identity: 'ada', token: () => 'a token', reauthenticate: () => decided.promise };
    const house = testConnection(() => new House(), options);
    const before = await house.stub.room('before');
    connection(house.stub)
      .authenticate()
      .catch(() => {});
    await until(() => house.transcript().includes('token'));
    before[Symbol.dispose]();
    const after = Promise.resolve(house.stub.room('after'));
    const caller = new AbortController();
    const other = Promise.resolve(withOptions(house.stub, { signal: caller.signal }).room('other'));
    await new Promise((resolve) => setImmediate(resolve));
    return { house, after, other, caller, decided };
  }

  test('lets go of no other one that has its number over another connection', async () => {
    const { house, after, other } = await setup();
    using _ = house;
    house.cut();
    const rooms = await Promise.all([after, other]);
    expect(await Promise.all(rooms.map((room) => room.name()))).toEqual(['after', 'other']);
  });

  test('says so although one of its calls was given up, which does not begin', async () => {
    const { house, after, other, caller, decided } = await setup();
    using _ = house;
    caller.abort();
    await expect(other).rejects.toMatchObject({ code: 'CANCELLED' });
    decided.resolve('ada');
    expect(await (await after).name()).toBe('after');
    expect(await house.stub.counts()).toMatchObject({ exports: 1 });
    expect(house.target?.opened).toEqual(['before', 'after']);
  });
});
