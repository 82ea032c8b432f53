import { runInNewContext } from 'node:vm';
import { type RpcError, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { register } from '@lumenize/structured-clone';
import { afterEach, describe, expect, test, vi } from 'vitest';

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

class Room extends RpcTarget {
  returned: unknown;

  async settled(given: { promise: Promise<unknown> } | unknown[]) {
    const promise = Array.isArray(given) ? given[0] : given.promise;
    return [promise instanceof Promise, await promise];
  }
  returns() {
    return this.returned;
  }
  get got() {
    return this.returned;
  }
  checked(text: string) {
    return text;
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

describe.each(Object.entries(PROMISES))('a promise %s', (_name, make) => {
  test('is awaited where it is passed, resolved and rejected', async () => {
    using stub = connectInMemory(new Room());
    expect(await stub.settled([make(() => ({ a: 1 }))] as [Promise<unknown>])).toEqual([false, { a: 1 }]);
    expect(await stub.settled({ promise: make(() => 'x') as Promise<unknown> })).toEqual([false, 'x']);
    const failing = make(() => {
      throw new RangeError('no');
    });
    await expect(stub.settled([failing] as [Promise<unknown>])).rejects.toThrow(new RangeError('no'));
  });

  test('is awaited where a method or getter returns it, and in what it returns', async () => {
    const room = new Room();
    using stub = connectInMemory(room);
    room.returned = make(() => 1);
    expect(await stub.returns()).toBe(1);
    expect(await stub.got).toBe(1);
    room.returned = { inner: make(() => [2]) };
    const { inner } = (await stub.returns()) as { inner: Promise<unknown> };
    expect([inner instanceof Promise, await inner]).toEqual([false, [2]]);
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

class Post {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  get body(): string {
    throw new Error('it is not loaded');
  }
}
register(Post, { name: 'Post', encode: ({ text }) => text, decode: (text) => new Post(String(text)) });

test('nothing is read of an instance that a registered class encodes', async () => {
  class Target extends RpcTarget {
    textOf(post: Post): string {
      return post.text;
    }
  }
  using stub = connectInMemory(new Target());
  expect(await stub.textOf(new Post('a text'))).toBe('a text');
});
