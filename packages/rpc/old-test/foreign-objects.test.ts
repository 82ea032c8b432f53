import { runInNewContext } from 'node:vm';
import { type RpcError, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { supportOptions } from '../src/server/access/served-target.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** What zone.js and polyfills have: a class of their own that calls itself Promise. */
class ZoneAwarePromise {
  readonly __zone_symbol__state = null;
  readonly #promise: Promise<unknown>;

  constructor(promise: Promise<unknown>) {
    this.#promise = promise;
  }
  get [Symbol.toStringTag](): string {
    return 'Promise';
  }
  then(resolved?: (value: unknown) => unknown, rejected?: (error: unknown) => unknown): ZoneAwarePromise {
    return new ZoneAwarePromise(this.#promise.then(resolved, rejected));
  }
}

/** Makes promises, each of another kind. */
const PROMISES: Readonly<Record<string, (run: () => unknown) => unknown>> = {
  'of another context': (run) => runInNewContext('new Promise((resolve) => resolve()).then(run)', { run }),
  'of an async function there': (run) => runInNewContext('(async () => run())()', { run }),
  'of zone.js': (run) => new ZoneAwarePromise(Promise.resolve().then(run)),
  'of a subclass': (run) => class Later extends Promise<unknown> {}.resolve().then(run),
};

/** Makes an object that does what another does, but is no instance of its class here: as if it were of another window. */
function ofAnotherWindow<T extends object>(object: T, name: string): T {
  class Other {}
  const { prototype } = Other;
  Object.defineProperty(prototype, Symbol.toStringTag, { value: name });
  for (let from = Object.getPrototypeOf(object); from !== Object.prototype; from = Object.getPrototypeOf(from)) {
    for (const key of Object.getOwnPropertyNames(from)) {
      if (Object.hasOwn(prototype, key)) continue;
      const get = () => {
        const value = Reflect.get(object, key);
        return typeof value === 'function' ? value.bind(object) : value;
      };
      Object.defineProperty(prototype, key, { get });
    }
  }
  return new Other() as T;
}

function streamOf(...chunks: unknown[]): ReadableStream {
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return ofAnotherWindow(stream, 'ReadableStream');
}

class Room extends RpcTarget {
  returned: unknown;
  caught: unknown;

  async settled(given: { promise: Promise<unknown> } | unknown[]) {
    const promise = Array.isArray(given) ? given[0] : given.promise;
    return [promise instanceof Promise, await promise];
  }
  async read(stream: ReadableStream) {
    const chunks: unknown[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  }
  returns() {
    return this.returned;
  }
  get got() {
    return this.returned;
  }
  async write(into: WritableStream) {
    const writer = into.getWriter();
    await writer.write({ a: 1 });
    await writer.close();
    return 'written';
  }
  async aborted(signal: AbortSignal) {
    return new Promise((resolve) => {
      if (signal.aborted) resolve(['at once', signal.reason]);
      signal.addEventListener('abort', () => resolve(['later', signal.reason]));
    });
  }
  checked(text: string) {
    return text;
  }
  restored() {
    return this.returned;
  }
  static readonly rpc = {
    checked: {
      args: {
        '~standard': {
          version: 1 as const,
          vendor: 'test',
          validate: (args: unknown) => {
            const isText = typeof (args as unknown[])[0] === 'string';
            const result = isText ? { value: args as [string] } : { issues: [{ message: 'expected text' }] };
            return new ZoneAwarePromise(Promise.resolve(result)) as unknown as Promise<typeof result>;
          },
        },
      },
    },
  };
}
supportOptions();

describe.each(Object.entries(PROMISES))('a promise %s', (_name, make) => {
  test('is passed as a promise, resolved and rejected', async () => {
    using stub = connectInMemory(new Room());
    expect(await stub.settled([make(() => ({ a: 1 }))] as [Promise<unknown>])).toEqual([true, { a: 1 }]);
    expect(await stub.settled({ promise: make(() => 'x') as Promise<unknown> })).toEqual([true, 'x']);
    const failing = make(() => {
      throw new RangeError('no');
    });
    await expect(stub.settled([failing] as [Promise<unknown>])).rejects.toThrow(new RangeError('no'));
  });

  test('is awaited where a method or getter returns it, and is a promise in what it returns', async () => {
    const room = new Room();
    using stub = connectInMemory(room);
    room.returned = make(() => 1);
    expect(await stub.returns()).toBe(1);
    expect(await stub.got).toBe(1);
    room.returned = { inner: make(() => [2]) };
    const { inner } = (await stub.returns()) as { inner: Promise<unknown> };
    expect([inner instanceof Promise, await inner]).toEqual([true, [2]]);
  });
});

test('a promise of the platform is passed where another class is the global Promise', async () => {
  const native = (async () => ({ a: 1 }))();
  using stub = connectInMemory(new Room());
  await stub.settled([1] as never);
  vi.stubGlobal('Promise', class ZonePromise extends Promise<unknown> {});
  expect(native instanceof Promise).toBe(false);
  const result = await stub.settled([native] as [Promise<unknown>]);
  expect(result[1]).toEqual({ a: 1 });
});

test('streams of another window are read and written', async () => {
  using stub = connectInMemory(new Room());
  const stream = streamOf(1, { two: 2 });
  expect([stream instanceof ReadableStream, await stub.read(stream)]).toEqual([false, [1, { two: 2 }]]);
  const written: unknown[] = [];
  const sink = new WritableStream({ write: (chunk) => void written.push(chunk) });
  expect(await stub.write(ofAnotherWindow(sink, 'WritableStream'))).toBe('written');
  expect(written).toEqual([{ a: 1 }]);
});

test('a stream of another window that is locked is refused', async () => {
  using stub = connectInMemory(new Room());
  const stream = streamOf(1);
  stream.getReader();
  const error = (await stub.read(stream).catch((error: unknown) => error)) as RpcError;
  expect([error.code, error.message]).toEqual(['NOT_CLONEABLE', expect.stringContaining('that is locked')]);
});

test('a signal of another window aborts the received one, with its reason', async () => {
  using stub = connectInMemory(new Room());
  const controller = new AbortController();
  const pending = stub.aborted(ofAnotherWindow(controller.signal, 'AbortSignal'));
  await stub.returns();
  controller.abort(new RangeError('enough'));
  expect(await pending).toEqual(['later', new RangeError('enough')]);
  const aborted = ofAnotherWindow(AbortSignal.abort('before'), 'AbortSignal');
  expect(await stub.aborted(aborted)).toEqual(['at once', 'before']);
});

test('a schema that answers with a promise of another class is awaited', async () => {
  using stub = connectInMemory(new Room());
  expect(await stub.checked('text')).toBe('text');
  await expect(stub.checked(1 as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
});

test.each(['Promise', 'AbortSignal', 'ReadableStream', 'WritableStream'])(
  'an object that only calls itself %s is refused with its place',
  async (name) => {
    class Impostor {
      get [Symbol.toStringTag](): string {
        return name;
      }
    }
    using stub = connectInMemory(new Room());
    const error = (await stub.settled([new Impostor()] as never).catch((error: unknown) => error)) as RpcError;
    expect([error.code, error.message]).toEqual(['NOT_CLONEABLE', expect.stringContaining('at argument 0[0]')]);
  },
);
