import { RpcError, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { describe, expect, test, vi } from 'vitest';

/** What is assigned to the message of an error, which nothing keeps from being no text. */
const MESSAGES: Readonly<Record<string, unknown>> = {
  'a number': 5,
  undefined,
  'an object': { code: 5, toString: 'no function' },
  'an object without prototype': Object.assign(Object.create(null), { a: 1 }),
  'a list': [1, undefined],
};

class Thrower extends RpcTarget {
  #thrown: unknown;

  constructor(thrown: unknown) {
    super();
    this.#thrown = thrown;
  }
  fails() {
    throw this.#thrown;
  }
  returns() {
    return [this.#thrown];
  }
  works() {
    return 'works';
  }
  async *items() {
    yield 1;
    throw this.#thrown;
  }
}

describe.each(Object.entries(MESSAGES))('an error whose message is %s', (_name, message) => {
  test.each([
    ['an error', () => new RangeError('x')],
    ['an error of the library', () => new RpcError('DENIED', 'x')],
  ])('arrives with it, thrown, returned and in a stream, and ends nothing else: %s', async (_kind, make) => {
    vi.spyOn(console, 'error').mockReturnValue();
    const thrown = Object.defineProperty(make(), 'message', { value: message });
    using stub = connectInMemory(new Thrower(thrown));
    const other = stub.works();
    const error = await stub.fails().catch((error: unknown) => error);
    expect([error instanceof Error, (error as Error).message, (error as Error).name]).toEqual([
      true,
      message,
      thrown.name,
    ]);
    expect((await stub.returns())[0]).toMatchObject({ message });
    const broken = (async () => {
      for await (const _ of await stub.items());
    })().catch((error: unknown) => error);
    expect(((await broken) as Error).message).toEqual(message);
    expect([await other, await stub.works()]).toEqual(['works', 'works']);
  });
});

test('an error whose message is a symbol is refused with the place, and ends nothing else', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const thrown = Object.assign(new RangeError(), { message: Symbol('secret') });
  using stub = connectInMemory(new Thrower(thrown));
  const error = await stub.fails().catch((error: unknown) => error);
  expect(error).toMatchObject({ code: 'NOT_CLONEABLE', message: expect.stringContaining('at value.message') });
  expect(await stub.works()).toBe('works');
});
