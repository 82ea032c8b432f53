import { RpcError } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serve } from './support/serve.ts';

class NotEnough extends Error {}

class Api extends RpcTarget {
  static readonly rpc = {
    guarded: { guard: () => false },
    broken: {
      guard: () => {
        throw new TypeError('no such right');
      },
    },
  };
  defect(): never {
    return (undefined as unknown as { name: never }).name;
  }
  async later(): Promise<never> {
    await Promise.resolve();
    throw new Error('disk');
  }
  expected(): never {
    throw new NotEnough('of it');
  }
  denied(): never {
    throw new RpcError('DENIED', 'not you');
  }
  unsendable(): unknown {
    return { weak: new WeakMap() };
  }
  guarded(): void {}
  broken(): void {}
  count(): number {
    return 1;
  }
  passOn(fails: () => Promise<never>): Promise<never> {
    return fails();
  }
}

const logged = vi.fn();
beforeEach(() => {
  logged.mockClear();
  vi.spyOn(console, 'error').mockImplementation(logged);
});
afterEach(() => vi.restoreAllMocks());

const codeOf = (call: PromiseLike<unknown>) => call.then(String, (error) => error.code ?? error.message);

describe('without onError', () => {
  test('what looks like a defect is logged, with its stack', async () => {
    using api = connectInMemory(new Api());
    await codeOf(api.defect());
    await codeOf(api.later());
    await codeOf(api.unsendable());
    await codeOf(api.broken());
    expect(logged.mock.calls).toEqual([
      ['defect() failed:', expect.any(TypeError)],
      ['later() failed:', new Error('disk')],
      ['unsendable() failed:', expect.objectContaining({ name: 'CloneError' })],
      ['broken() failed:', new TypeError('no such right')],
    ]);
  });

  test('what is an answer is not: an RpcError, an error of a class of its own, a refusal', async () => {
    using api = connectInMemory(new Api());
    await Promise.all([codeOf(api.expected()), codeOf(api.denied()), codeOf(api.guarded())]);
    expect(await codeOf((api as unknown as { missing(): Promise<unknown> }).missing())).toBe('METHOD_NOT_FOUND');
    expect(logged).not.toHaveBeenCalled();
  });

  test('no more than ten lines come in a second', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    using api = connectInMemory(new Api());
    await Promise.all(Array.from({ length: 50 }, () => codeOf(api.defect())));
    expect(logged).toHaveBeenCalledTimes(10);
    vi.spyOn(Date, 'now').mockReturnValue(1_700_000_001_000);
    await codeOf(api.defect());
    expect(logged).toHaveBeenCalledTimes(11);
  });

  test('an error of a client, whose constructor is data, is logged like any other', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(1_700_000_002_000);
    using api = connectInMemory(new Api());
    const fails = async () => Promise.reject(Object.assign(new Error('odd'), { constructor: null }));
    await Promise.all(Array.from({ length: 50 }, () => codeOf(api.passOn(fails))));
    expect(logged.mock.calls.map(([what]) => what)).toEqual(new Array(10).fill('passOn() failed:'));
  });
});

test('with onError nothing else is logged', async () => {
  const onError = vi.fn();
  using api = connectInMemory(new Api(), { onError });
  await codeOf(api.defect());
  expect([onError.mock.calls.length, logged.mock.calls.length]).toEqual([1, 0]);
});

describe.each<[how: string, fail: () => never]>([
  [
    'throws',
    () => {
      throw new Error('the hook');
    },
  ],
  ['rejects', (async () => Promise.reject(new Error('the hook'))) as unknown as () => never],
])('a function of the application that %s changes nothing for callers:', (_how, fail) => {
  test('onError', async () => {
    using api = connectInMemory(new Api(), { onError: fail });
    expect(await Promise.all([codeOf(api.expected()), codeOf(api.count())])).toEqual(['of it', '1']);
    expect(await codeOf(api.later())).toBe('disk');
    expect(await codeOf(api.count())).toBe('1');
    expect(logged).toHaveBeenCalledWith('onError() failed:', new Error('the hook'));
  });

  test('onRefused', async () => {
    using api = connectInMemory(new Api(), { onRefused: fail });
    expect(await codeOf(api.guarded())).toBe('DENIED');
    expect(await codeOf(api.count())).toBe('1');
    expect(logged).toHaveBeenCalledWith('onRefused() failed:', new Error('the hook'));
  });
});

test('a function that names callers for a rate limit, and throws, lets nothing run', () => {
  const by = () => {
    throw new Error('the hook');
  };
  const identity = { operationsPerSecond: 1, burst: 1, by };
  const { answers, closes, send } = serve(new Api(), { rateLimits: { identity } });
  send([1, ['count', []]]);
  expect(closes).toEqual([]);
  expect(answers()).toEqual(new Map([[1, 'NOT_EXECUTED']]));
  expect(logged).toHaveBeenCalledWith('a frame failed:', new Error('the hook'));
});
