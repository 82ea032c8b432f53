import { describeTarget } from '@lumenize/inspect';
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

  describe('holds for classes that extend it, which only add', () => {
    const asked: string[] = [];
    const guard = (name: string, isAllowed = true) => ({
      guard: (_caller: unknown, ...args: unknown[]) => {
        asked.push(`${name}(${args})`);
        return isAllowed;
      },
    });
    const suffixed = (by: string) => ({
      args: [
        z
          .string()
          .min(1)
          .transform((text) => text + by),
      ],
    });
    type Rpc = Record<string, MethodOptions>;
    class Bare extends RpcTarget {
      static readonly rpc: Rpc = {};
      a(...args: unknown[]): unknown {
        return args;
      }
      get b(): number {
        return 1;
      }
    }
    class Base extends Bare {
      static override readonly rpc: Rpc = { a: { idempotent: true, ...guard('base', false), ...suffixed(' base') } };
    }
    class Open extends Bare {
      static override readonly rpc: Rpc = {
        a: { idempotent: true, ...guard('base'), ...suffixed(' base') },
        b: guard('b', false),
      };
    }
    const none = undefined as never;
    /** Calls `a` of a subclass, and returns its result, or its code, with the guards that were asked. */
    const call = async (base: typeof Bare, rpc: Rpc, ...args: unknown[]) => {
      class Derived extends base {
        static override readonly rpc = rpc;
        override a(...given: unknown[]): unknown {
          return given;
        }
      }
      class Leaf extends Derived {}
      asked.length = 0;
      using stub = connectInMemory<Leaf>(new Leaf());
      const result = await stub.a(...(args as never[])).catch(({ code }: { code: string }) => code);
      return [result, ...asked];
    };

    test.each<[what: string, rpc: Rpc, asked: string[]]>([
      ['nothing', {}, ['base(x base)']],
      ['no options', { a: {} }, ['base(x base)']],
      ['an option of delivery', { a: { readOnly: true } }, ['base(x base)']],
      ['options that are undefined', { a: { guard: none, args: none } }, ['base(x base)']],
      ['a guard', { a: guard('more') }, ['base(x base)']],
      ['the options of its base', Base.rpc, ['base(x base)']],
    ])('a guard of the base, where a subclass declares %s', async (_what, rpc, guards) => {
      expect(await call(Base, rpc, 'x')).toEqual(['DENIED', ...guards]);
    });

    test.each<[what: string, rpc: Rpc, outcome: unknown[]]>([
      ['nothing', {}, [['x base'], 'base(x base)']],
      ['another guard', { a: guard('more') }, [['x base'], 'base(x base)', 'more(x base)']],
      ['a guard that denies', { a: guard('more', false) }, ['DENIED', 'base(x base)', 'more(x base)']],
      ['another schema', { a: suffixed(' more') }, [['x base more'], 'base(x base more)']],
      ['a schema that refuses', { a: { args: [z.string().length(1)] } }, ['INVALID_ARGUMENTS']],
      ['the options of its base', Open.rpc, [['x base'], 'base(x base)']],
    ])('and all of both, the base first, where a subclass declares %s', async (_what, rpc, outcome) => {
      expect(await call(Open, rpc, 'x')).toEqual(outcome);
      expect(await call(Open, rpc, '')).toEqual(['INVALID_ARGUMENTS']);
    });

    test('so that a subclass may take more arguments, and its list says how many', async () => {
      const both = { a: { args: [z.any(), z.number()] } };
      expect(await call(Open, both, 'x', 1)).toEqual([['x base', 1], 'base(x base,1)']);
      expect(await call(Open, both, 'x', 'y')).toEqual(['INVALID_ARGUMENTS']);
      expect(await call(Open, both, 'x', 1, 2)).toEqual(['INVALID_ARGUMENTS']);
      expect(await call(Open, { a: { args: z.array(z.any()) } }, 'x', 1)).toEqual([['x base', 1], 'base(x base,1)']);
      expect(await call(Open, {}, 'x', 1)).toEqual(['INVALID_ARGUMENTS']);
    });

    test('where guards and schemas take their time', async () => {
      const later = {
        args: [z.string().transform(async (text) => `${text} later`)],
        guard: async (_caller: unknown, text: string) => asked.push(`later(${text})`) > 0,
      };
      class Slow extends Base {
        static override readonly rpc = { a: later };
      }
      // The guard of the base denies: the next is not asked.
      expect(await call(Slow, {}, 'x')).toEqual(['DENIED', 'base(x base later)']);
      class SlowAndOpen extends Open {
        static override readonly rpc = { a: later };
      }
      expect(await call(SlowAndOpen, { a: { ...suffixed(' more'), ...guard('more') } }, 'x')).toEqual([
        ['x base later more'],
        'base(x base later more)',
        'later(x base later more)',
        'more(x base later more)',
      ]);
    });

    test('getters too', async () => {
      class Derived extends Open {
        static override readonly rpc = { b: guard('derived') };
      }
      asked.length = 0;
      using stub = connectInMemory<Derived>(new Derived());
      await expect((async () => stub.b)()).rejects.toMatchObject({ code: 'DENIED' });
      expect(asked).toEqual(['b()']);
    });

    test.each<[rpc: Rpc, options: string[]]>([
      [{}, ['idempotent']],
      [{ a: { readOnly: true } }, ['idempotent', 'readOnly']],
      [{ a: { idempotent: false } }, []],
      [{ a: { exactlyOnce: true } }, ['exactlyOnce']],
      [{ a: { exactlyOnce: true, idempotent: false } }, ['exactlyOnce']],
    ])('and is delivered as the last one says: %j', (rpc, options) => {
      class Derived extends Open {
        static override readonly rpc = rpc;
      }
      class Leaf extends Derived {}
      const { members } = describeTarget(new Leaf());
      const found = members.find(({ name }) => name === 'a')?.options;
      expect(found?.filter((option) => option !== 'guard' && option !== 'args')).toEqual(options);
      expect(serve(new Leaf())).not.toThrow();
    });

    test('and may be asynchronous where the base was exactlyOnce, if it says otherwise', () => {
      class Once extends Bare {
        static override readonly rpc: Rpc = { a: { exactlyOnce: true } };
      }
      class Later extends Once {
        override async a(): Promise<void> {}
      }
      class Again extends Later {
        static override readonly rpc: Rpc = { a: { idempotent: true } };
      }
      expect(serve(new Later())).toThrow('Later.a is asynchronous and cannot be exactlyOnce');
      expect(serve(new Again())).not.toThrow();
    });
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
