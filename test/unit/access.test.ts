import { connectInMemory } from '@lumenize/rpc/memory';
import { type MethodOptions, RpcTarget, serveOver } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkedCalls } from '../access/cases.ts';
import { CheckedTarget } from '../access/checked-target.ts';

checkedCalls('in memory', (identity) => connectInMemory(new CheckedTarget(), { identity }) as never);

describe('what a class says of its methods', () => {
  const serve = (target: object) => () => serveOver({ send: () => {}, close: () => {} }, target);
  const target = (rpc: unknown) =>
    new (class Api extends RpcTarget {
      static readonly rpc = rpc;
      method(): void {}
      async later(): Promise<void> {}
      get getter(): number {
        return 1;
      }
    })();

  test.each([
    ['a method that there is none of', { methud: { guard: () => true } }, 'static rpc of Api speaks of methud'],
    ['a misspelt option', { method: { gaurd: () => false } }, 'Api.method has the option gaurd'],
    ['a guard that is no function', { method: { guard: true } }, 'guard of Api.method has to be a function'],
    ['a schema that is none', { method: { args: {} } }, 'args of Api.method has to be a Standard Schema'],
    [
      'a list with something else',
      { method: { args: [z.any(), 1] } },
      'args of Api.method has to be a Standard Schema',
    ],
    ['arguments of a getter', { getter: { args: [] } }, 'Api.getter is a getter, which can have a guard, not args'],
    [
      'an exactly-once method that is asynchronous',
      { later: { exactlyOnce: true } },
      'Api.later is asynchronous and cannot be exactlyOnce',
    ],
    ['no options', { method: true }, 'what is said of Api.method has to be an object'],
  ])('is refused when it is served, where it is %s', (_what, rpc, message) => {
    expect(serve(target(rpc))).toThrow(TypeError);
    expect(serve(target(rpc))).toThrow(message);
  });

  test('is checked without a loose end if one schema throws while another waits', async () => {
    const failing = (validate: () => unknown) => ({ '~standard': { version: 1, vendor: 'test', validate } });
    const args = [
      failing(async () => Promise.reject(new Error('later'))),
      failing(() => {
        throw new Error('at once');
      }),
    ];
    const errors: unknown[] = [];
    using api = connectInMemory(target({ method: { args } }), { onError: (error) => errors.push(error) });
    await expect(api.method()).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(errors).toEqual([new Error('at once')]);
  });

  test('holds for classes that extend it, unless they say otherwise', async () => {
    class Base extends RpcTarget {
      static readonly rpc: Record<string, MethodOptions> = { a: { guard: () => false }, b: { guard: () => false } };
      a(): string {
        return 'a';
      }
      b(): string {
        return 'b';
      }
    }
    class Derived extends Base {
      static override readonly rpc = { b: {}, c: {} };
      override a(): string {
        return 'derived a';
      }
      c(): string {
        return 'c';
      }
    }
    using stub = connectInMemory<Derived>(new Derived());
    await expect(stub.a()).rejects.toMatchObject({ code: 'DENIED' });
    expect(await Promise.all([stub.b(), stub.c()])).toEqual(['b', 'c']);
  });
});

describe('checks', () => {
  test('that are synchronous leave the method synchronous: calls of a turn run in one go', async () => {
    const order: string[] = [];
    class Api extends RpcTarget {
      static readonly rpc = { checked: { guard: () => true, args: [z.number()] } };
      checked(n: number): void {
        order.push(`run ${n}`);
        queueMicrotask(() => order.push(`job ${n}`));
      }
    }
    using stub = connectInMemory<Api>(new Api());
    await Promise.all([stub.checked(1), stub.checked(2)]);
    expect(order).toEqual(['run 1', 'run 2', 'job 1', 'job 2']);
  });

  test('tell onError of their own failures, as they were thrown, and of nothing that they refuse', async () => {
    const told: unknown[] = [];
    using stub = connectInMemory<CheckedTarget>(new CheckedTarget(), { onError: (error) => told.push(error) });
    await Promise.allSettled([stub.secret(), stub.explains(), stub.zodUser(1), stub.defective(), stub.broken()]);
    expect(told).toEqual([new Error('a secret of the server'), new Error('a secret of the schema')]);
  });

  test('do not run a method whose caller gave up in the meantime', async () => {
    let ran = 0;
    const gate = Promise.withResolvers<boolean>();
    class Api extends RpcTarget {
      static readonly rpc = { slow: { guard: () => gate.promise } };
      slow(): void {
        ran++;
      }
      open(): void {}
    }
    const { withOptions } = await import('@lumenize/rpc');
    using stub = connectInMemory<Api>(new Api());
    const controller = new AbortController();
    const call = withOptions(stub, { signal: controller.signal }).slow();
    await stub.open();
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await stub.open();
    gate.resolve(true);
    await stub.open();
    expect(ran).toBe(0);
  });
});
