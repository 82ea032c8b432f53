import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { describe, expect, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import { contract } from '../contract/contract.ts';
import type { ContractTarget } from '../contract/contract-target.ts';

const { COUNTER, CONTRACT, GUARDED, COMPOSED, SERVICE } = env as unknown as Record<string, DurableObjectNamespace> & {
  SERVICE: Fetcher;
};
let instance = 0;

contract('a binding of an object', () => connectBinding<ContractTarget>(CONTRACT.getByName(`binding-${++instance}`)));
contract('a service binding', () => connectBinding<ContractTarget>(SERVICE));

/** The platform's stub of an object, which counts the native calls that are made through it. */
function counting(stub: object): { stub: object; calls: string[] } {
  const calls: string[] = [];
  const proxy = (target: object): object =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          if (typeof name === 'string' && name !== 'then') calls.push(name);
          const result = (target as Record<string | symbol, (...args: unknown[]) => object>)[name](...args);
          return name === 'openRpcConnection' ? proxy(result) : result;
        };
      },
    });
  return { stub: proxy(stub), calls };
}

describe('a connection by a binding', () => {
  test('makes one native call for a call, synchronous or not', async () => {
    const { stub, calls } = counting(CONTRACT.getByName('counted'));
    using target = connectBinding<ContractTarget>(stub);
    await target.add();
    await target.ownerLater().profile().name;
    await Promise.all([target.add(), target.add()]);
    expect(calls).toEqual(['openRpcConnection', 'ended', 'send', 'send', 'send']);
    expect(connection(target).statistics).toMatchObject({ framesSent: 3, framesReceived: 3 });
  });

  test('begins a thousand calls in the order they are made, while it is being opened and after', async () => {
    using target = connectBinding<ContractTarget>(CONTRACT.getByName('ordered'));
    const results: Promise<number>[] = [];
    for (let turn = 0; turn < 1000; turn++) {
      results.push(target.add());
      await Promise.resolve();
      if (turn % 7 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    expect(await Promise.all(results)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  });

  test('brings what is ready later, after another result of the same frame', async () => {
    const { stub, calls } = counting(CONTRACT.getByName('later'));
    using target = connectBinding<ContractTarget>(stub);
    const held = target.held(1);
    expect(await target.ownerLater().profile().name).toBe('Ada');
    await target.release();
    expect(await held).toBe(1);
    expect(calls).toEqual(['openRpcConnection', 'ended', 'send', 'send']);
  });

  test('gives the target what the Worker says of the caller', async () => {
    using ada = connectBinding<{ whoAmI(): unknown }>(GUARDED.getByName('one'), {
      identity: { user: 'ada', since: new Date(0) },
    });
    expect(await ada.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
  });

  test.each([
    ['mallory', 'DENIED', 'mallory may not use this object'],
    ['broken', 'INTERNAL', 'could not make a target'],
  ])('is refused where there is no target for %s, and runs nothing', async (user, code, message) => {
    using stub = connectBinding<{ whoAmI(): unknown }>(GUARDED.getByName('one'), { identity: { user } });
    await expect(stub.whoAmI()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('to something else says what it should lead to', async () => {
    using stub = connectBinding<{ hello(): string }>(COMPOSED.getByName('one'));
    await expect(stub.hello()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no class that extends RpcObject or RpcEntrypoint'),
    });
  });

  test('to an object that breaks settles its calls, and the next call connects again', async () => {
    const object = CONTRACT.getByName('breaks');
    using stub = connectBinding<ContractTarget>(object);
    const held = stub.held(1);
    await stub.ran();
    const outcome = held.catch((error: unknown) => error);
    await runInDurableObject(object, (_, state) => state.abort('broken on purpose')).catch(() => {});
    expect(await outcome).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('held() may have run'),
    });
    expect(connection(stub)).toMatchObject({ state: 'idle', statistics: { callsInFlight: 0 } });
    expect(await connectBinding<ContractTarget>(CONTRACT.getByName('breaks')).add()).toBe(1);
  });

  test('lets its object go when it is closed', async () => {
    const counter = connectBinding<CounterApi>(COUNTER.getByName('released'));
    expect(await counter.increment()).toBe(1);
    counter[Symbol.dispose]();
    // An object that is held cannot be evicted: this would not come to an end.
    await evictDurableObject(COUNTER.getByName('released'));
    using again = connectBinding<CounterApi>(COUNTER.getByName('released'));
    expect(await again.increment()).toBe(2);
  });
});
