import { getEventListeners } from 'node:events';
import { connection, RpcError, RpcTarget, withOptions } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { callContext, type RpcServerOptions } from '@lumenize/rpc/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

class Room extends RpcTarget {
  disposed = 0;
  get name() {
    return 'lobby';
  }
  self() {
    return this;
  }
  [Symbol.dispose]() {
    this.disposed++;
  }
}

class Api extends RpcTarget {
  readonly room = new Room();
  disposed = 0;
  self() {
    return this;
  }
  [Symbol.dispose]() {
    this.disposed++;
  }
  callbacks: ((value: unknown) => Promise<unknown>)[] = [];
  getRoom() {
    return this.room;
  }
  counter() {
    let n = 0;
    return () => ++n;
  }
  isRoom(value: unknown) {
    return value === this.room;
  }
  store(callback: (value: unknown) => Promise<unknown>) {
    this.callbacks.push(callback);
  }
  async callAll(value: unknown) {
    return Promise.all(this.callbacks.map((callback) => callback(value)));
  }
  nested() {
    return { list: [this.room], map: new Map([['room', this.room]]) };
  }
  echo(value: unknown) {
    return value;
  }
  asksTwice(callback: (n: number) => Promise<number>) {
    return [callback(1), callback(2), callback];
  }
  async slow() {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return this.room;
  }
  async later() {
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  async failsLater() {
    await Promise.resolve();
    throw new RangeError('later');
  }
  async readResponse() {
    const response = new Response('read');
    await response.text();
    return [response];
  }
  receivedCount() {
    return callContext().counts.imports;
  }
  async dropAll() {
    for (const callback of this.callbacks.splice(0)) (callback as unknown as Disposable)[Symbol.dispose]();
  }
  async dropWhenCalled(callback: ((value: unknown) => Promise<unknown>) & Disposable) {
    await callback(0);
    callback[Symbol.dispose]();
    return this;
  }
  unsendable() {
    return Symbol('x');
  }
  withBody(body: unknown) {
    return { room: this.room, body };
  }
  async withUsedBody() {
    return { room: this.room, body: await this.readResponse() };
  }
  async areTargets() {
    const [target, nested] = (await this.callAll(0)) as [unknown, { of: [unknown] }];
    return [target === this, nested.of[0] === this];
  }
  async waitForAbort() {
    const { signal } = callContext();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    this.callbacks.length = 0;
    return 'aborted';
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tested untyped
function setup(): { api: Api; stub: any } {
  const api = new Api();
  return { api, stub: connectInMemory(api) };
}

describe('references', () => {
  test('targets', async () => {
    const { api, stub } = setup();
    const room = await stub.getRoom();
    expect(await room.name).toBe('lobby');
    expect(await room.self()).toBe(room);
    expect(await stub.isRoom(room)).toBe(true);
    expect(connection(stub).statistics).toMatchObject({ imports: 1, exports: 0, callsInFlight: 0 });
    room[Symbol.dispose]();
    await stub.echo(1);
    expect(api.room.disposed).toBe(1);
    expect(connection(stub).statistics).toMatchObject({ imports: 0 });
    await expect(room.name).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    const nested = await stub.nested();
    expect(nested.list[0]).toBe(nested.map.get('room'));
    expect(await nested.list[0].name).toBe('lobby');
  });
  test('functions and callbacks', async () => {
    const { stub } = setup();
    const count = await stub.counter();
    expect(await count()).toBe(1);
    expect(await count()).toBe(2);
    expect(await stub.counter().call(null)).toBe(1);
    const seen: unknown[] = [];
    const callback = (value: unknown) => {
      seen.push(value);
      return { value, n: seen.length };
    };
    await stub.store(callback);
    expect(await stub.callAll('x')).toEqual([{ value: 'x', n: 1 }]);
    expect(await stub.echo(callback)).toBe(callback);
    expect(connection(stub).statistics.exports).toBe(1);
  });
  test('cancel', async () => {
    const { stub } = setup();
    const controller = new AbortController();
    const call = withOptions(stub, { signal: controller.signal }).waitForAbort();
    await stub.echo(1);
    controller.abort('why');
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED', cause: 'why' });
    await expect(withOptions(stub, { timeoutMs: 10 }).waitForAbort()).rejects.toMatchObject({ code: 'TIMED_OUT' });
    expect(connection(stub).statistics.callsInFlight).toBe(0);
  });
  test('targets that were only steps are disposed of when they are let go of, and the connection itself never is', async () => {
    const { api, stub } = setup();
    {
      using room = stub.getRoom();
      expect(await room.name).toBe('lobby');
      using again = await stub.getRoom();
      expect(await again.name).toBe('lobby');
    }
    await expect.poll(() => api.room.disposed).toBe(1);
    {
      using later = stub.slow();
      later.name.catch(() => {});
      await stub.echo(1);
    }
    await stub.slow();
    await expect.poll(() => api.room.disposed).toBe(2);
    expect(await stub.self().isRoom(stub.getRoom())).toBe(true);
    connection(stub).close();
    await expect.poll(() => [api.room.disposed, api.disposed]).toEqual([3, 0]);
  });
  test('onError is told which call it was', async () => {
    const told: unknown[] = [];
    const options: RpcServerOptions = {
      onError: (error, method, call) => told.push([String(error), method, call?.callId, call?.traceparent]),
    };
    // biome-ignore lint/suspicious/noExplicitAny: tested untyped
    const stub: any = connectInMemory(new Api(), options);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const traced = withOptions(stub, { traceparent });
    const failed = await Promise.allSettled([stub.callAll(), traced.failsLater(), traced.unsendable()]);
    expect(failed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(told).toEqual([
      ['RangeError: later', 'failsLater', 2, traceparent],
      [expect.stringContaining('symbols cannot be cloned'), 'unsendable', 3, traceparent],
    ]);
  });
  test('options that cannot be sent are refused where they are given, and a time limit may be endless', async () => {
    const { stub } = setup();
    for (const options of [{ timeoutMs: -1 }, { timeoutMs: Number.NaN }, { traceparent: 'x'.repeat(300) }]) {
      expect(() => withOptions(stub, options)).toThrow(TypeError);
    }
    for (const timeoutMs of [Number.POSITIVE_INFINITY, 2 ** 40]) {
      expect(await withOptions(stub, { timeoutMs }).echo(1)).toBe(1);
    }
    await expect(withOptions(stub, { signal: AbortSignal.abort('why') }).echo(1)).rejects.toMatchObject({
      code: 'CANCELLED',
      cause: 'why',
      message: expect.stringContaining('not called'),
    });
    expect(connection(stub).statistics.framesSent).toBe(2);
  });
  test('time limits and signals of steps end with the calls that use them', async () => {
    const { stub } = setup();
    // Those of the library: the process has some of vitest as well, which come and go.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { signal } = new AbortController();
    const limited = withOptions(stub, { timeoutMs: 60_000, signal });
    const room = limited.getRoom();
    const names = Promise.all([room.name, room.self().name]);
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).not.toContain(0);
    expect(await names).toEqual(['lobby', 'lobby']);
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
    expect(await room.name).toBe('lobby');
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  });
  test('large', async () => {
    const { stub } = setup();
    const big = new Uint8Array(20_000_000).fill(7);
    expect((await stub.echo(big)).length).toBe(20_000_000);
    await expect(stub.echo(new Uint8Array(40_000_000))).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('maxMessageBytes of 33554432'),
    });
  });
});

test('a result of nothing can be passed on, also twice', async () => {
  const { stub } = setup();
  const nothing = stub.echo(undefined);
  const none = stub.echo(null);
  await Promise.all([nothing, none]);
  expect(await stub.echo([nothing, nothing, none, none])).toEqual([undefined, undefined, null, null]);
});

test('results of callbacks can be returned before they are there', async () => {
  const { stub } = setup();
  const callback = async (n: number) => n * 10;
  const [one, two, same] = await stub.asksTwice(callback);
  expect([await one, await two]).toEqual([10, 20]);
  expect(same).toBe(callback);
  expect(connection(stub).statistics).toMatchObject({ channels: 0, callsInFlight: 0 });
});

test('disposing a property that was not read lets go of nothing', async () => {
  const { stub } = setup();
  {
    using room = stub.room;
    expect(room).toBeDefined();
  }
  expect(await stub.echo(1)).toBe(1);
});

test('onError hears what methods throw, also errors of the kind of the library, and not what the library refuses', async () => {
  class Failing extends RpcTarget {
    denies(): never {
      throw new RpcError('DENIED', 'not you', { cause: new Error('the reason') });
    }
    async deniesLater(): Promise<never> {
      throw new RpcError('DENIED', 'not you either');
    }
    get denied(): never {
      throw new RpcError('DENIED', 'nor by a getter');
    }
  }
  const heard: [method: string, error: unknown][] = [];
  const stub = connectInMemory<Failing>(new Failing(), { onError: (error, method) => heard.push([method, error]) });
  // biome-ignore lint/suspicious/noExplicitAny: types would not let it be called
  const untyped = stub as any;
  const outcomes = await Promise.allSettled([stub.denies(), stub.deniesLater(), stub.denied, untyped.nothing()]);
  expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.code)).toEqual([
    'DENIED',
    'DENIED',
    'DENIED',
    'METHOD_NOT_FOUND',
  ]);
  expect(heard.map(([method]) => method).sort()).toEqual(['denied', 'denies', 'deniesLater']);
  expect(heard).toContainEqual(['denies', expect.objectContaining({ cause: new Error('the reason') })]);
});

describe('a target that cannot be written yet is disposed of only when the other side has let go of it', () => {
  const file = new Blob(['text']);

  test.each<[what: string, argument: (stub: Api) => unknown]>([
    ['an earlier result', (stub) => stub.slow()],
    ['the bytes of a Blob', () => file],
  ])('as an argument that waits for %s', async (_what, argument) => {
    const { api, stub } = setup();
    const waitedFor = argument(stub);
    void (waitedFor as Promise<unknown>).then?.(() => {});
    await stub.echo(1);
    const room = new Room();
    await stub.store(room, waitedFor);
    expect(room.disposed).toBe(0);
    (api.callbacks.pop() as unknown as Disposable)[Symbol.dispose]();
    await stub.callAll(1);
    expect(room.disposed).toBe(1);
  });

  test('as a result with a Blob', async () => {
    const { api, stub } = setup();
    const { room } = await stub.withBody(file);
    expect(await room.name).toBe('lobby');
    expect(api.room.disposed).toBe(0);
    room[Symbol.dispose]();
    await stub.echo(1);
    expect(api.room.disposed).toBe(1);
  });

  test('as a result with a body that cannot be read, which nobody receives', async () => {
    const { api, stub } = setup();
    await expect(stub.withUsedBody()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    await expect.poll(() => api.room.disposed).toBe(1);
  });
});

test('an argument of a call that cannot be made still belongs to its owner', async () => {
  const { stub } = setup();
  const room = new Room();
  await expect(stub.store(room, Symbol('x'))).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  expect([room.disposed, connection(stub).statistics.exports]).toEqual([0, 0]);
});

test("the stub of a connection's target is returned from a callback as the target itself", async () => {
  const { stub } = setup();
  await stub.store(() => stub);
  await stub.store(() => ({ of: [withOptions(stub, { timeoutMs: 1000 })] }));
  expect(await stub.areTargets()).toEqual([true, true]);
  expect(connection(stub).statistics).toMatchObject({ channels: 0, callsInFlight: 0 });
});

describe('a function that is disposed of by the side that received it', () => {
  const callback = (value: unknown) => value;

  test('can be called if it was passed again in the same turn, until it is disposed of again', async () => {
    const { stub } = setup();
    await stub.store(callback);
    await Promise.all([stub.dropAll(), stub.store(callback), stub.store(callback)]);
    expect(await stub.callAll('x')).toEqual(['x', 'x']);
    expect(connection(stub).statistics.exports).toBe(1);
    await stub.dropAll();
    expect(await stub.receivedCount()).toBe(0);
    expect(connection(stub).statistics.exports).toBe(0);
  });

  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  test.each<[string, (stub: any) => Promise<void>]>([
    ['on its result', (stub) => stub.dropWhenCalled(callback).store(callback)],
    ['with its result', (stub) => stub.store(callback, stub.dropWhenCalled(callback))],
  ])('can be called by a method that waits for the one that disposes of it, to be called %s', async (_how, call) => {
    const { stub } = setup();
    await call(stub);
    expect(await stub.callAll('x')).toEqual(['x']);
    await stub.dropAll();
    expect(connection(stub).statistics.exports).toBe(0);
  });

  test('is released if the call to which it was passed again does not run', async () => {
    const { stub } = setup();
    await stub.store(callback);
    const failed = stub.failsLater();
    const calls = [stub.dropAll(), failed.store(callback), stub.store(callback, failed)];
    await Promise.allSettled(calls);
    expect(await stub.receivedCount()).toBe(0);
    expect(connection(stub).statistics.exports).toBe(0);
  });
});

test('what a call returns that was given up is released when it arrives, unless it is held', async () => {
  const { api, stub } = setup();
  const giveUp = async () => {
    const controller = new AbortController();
    const slow = withOptions(stub, { signal: controller.signal }).slow();
    await stub.echo(1); // it has begun
    controller.abort();
    await expect(slow).rejects.toMatchObject({ code: 'CANCELLED' });
  };
  await giveUp();
  await expect.poll(() => [api.room.disposed, connection(stub).statistics.imports]).toEqual([1, 0]);
  const room = await stub.getRoom();
  await giveUp();
  await stub.later();
  expect(await room.name).toBe('lobby');
  room[Symbol.dispose]();
  await stub.echo(1);
  expect(api.room.disposed).toBe(2);
});
