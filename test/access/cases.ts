import type { Stub } from '@lumenize/rpc';
import { describe, expect, test } from 'vitest';
import type { CheckedTarget, User } from './checked-target.ts';

type Connect = (user?: User) => Stub<CheckedTarget> & Disposable;

const DENIED = { name: 'RpcError', code: 'DENIED' };

/** Runs what holds for checks of calls over one way to connect; each connection has a target of its own. */
export function checkedCalls(name: string, connect: Connect): void {
  describe(`guards, ${name}`, () => {
    const admin = { name: 'ada', admin: true };

    test('let those through of whom they say true', async () => {
      using stub = connect(admin);
      expect(await Promise.all([stub.secret(), stub.secretGetter, stub.slowSecret(), stub.ownOf('ada')])).toEqual([
        'the secret',
        'the secret',
        'the secret for ada',
        'ada',
      ]);
    });

    test.each([
      ['a method', (stub: Stub<CheckedTarget>) => stub.secret()],
      ['a getter', (stub: Stub<CheckedTarget>) => stub.secretGetter],
      ['an asynchronous guard', (stub: Stub<CheckedTarget>) => stub.slowSecret()],
      ['arguments', (stub: Stub<CheckedTarget>) => stub.ownOf('ada')],
      ['what is merely truthy', (stub: Stub<CheckedTarget>) => stub.truthy()],
      ['a step of a chain', (stub: Stub<CheckedTarget>) => stub.child().secret()],
      ['a getter behind a promise', (stub: Stub<CheckedTarget>) => stub.later().secretGetter],
      ['a getter in an argument', (stub: Stub<CheckedTarget>) => stub.ownOf(stub.later().secretGetter)],
      ['map', (stub: Stub<CheckedTarget>) => stub.numbers().map(() => stub.secret())],
    ])('deny others, by %s, and nothing runs', async (_by, call) => {
      for (const user of [undefined, { name: 'eve' }]) {
        using stub = connect(user);
        const calls = [call(stub), stub.count()];
        const [denied, ran] = await Promise.allSettled(calls);
        expect(denied).toMatchObject({ status: 'rejected', reason: DENIED });
        expect(ran).toEqual({ status: 'fulfilled', value: 0 });
      }
    });

    test('can say why, and show nothing of what fails in them', async () => {
      using stub = connect(admin);
      await expect(stub.explains()).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        message: 'come back tomorrow',
        data: { retryAfterMs: 86_400_000 },
      });
      const error = await stub.defective().catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        ...DENIED,
        message: expect.stringMatching(/Target\.defective may not be called by this caller$/),
      });
      expect(await stub.count()).toBe(0);
    });
  });

  describe(`schemas of arguments, ${name}`, () => {
    test.each(['zodUser', 'valibotUser', 'arktypeUser'] as const)('%s passes what it makes of them', async (method) => {
      using stub = connect();
      expect(await stub[method]({ name: 'ada' })).toEqual({ name: 'ada', tags: [] });
    });

    test.each(['zodUser', 'valibotUser', 'arktypeUser'] as const)(
      '%s refuses, says where, and runs nothing',
      async (method) => {
        using stub = connect();
        const wrong: [args: unknown[], path: unknown[]][] = [
          [[{ name: '' }], [0, 'name']],
          [[{ name: 'ada', tags: ['a', 2] }], [0, 'tags', 1]],
          [['ada'], [0]],
          [[], [0]],
          [[{ name: 'ada' }, 'more'], [1]],
        ];
        for (const [args, path] of wrong) {
          const error = await (stub[method] as (...args: unknown[]) => Promise<unknown>)(...args).catch(
            (reason: unknown) => reason,
          );
          expect(error).toMatchObject({
            code: 'INVALID_ARGUMENTS',
            retryable: false,
            message: expect.stringContaining(`Target.${method}`),
            data: { issues: [{ message: expect.any(String), path }] },
          });
        }
        expect(await stub.count()).toBe(0);
      },
    );

    test('may be asynchronous', async () => {
      using stub = connect();
      expect(await stub.slowly('free')).toBe('free');
      await expect(stub.slowly('taken')).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        data: { issues: [{ message: 'is taken', path: [0] }] },
      });
    });

    test('may be one of the whole list', async () => {
      using stub = connect();
      expect(await stub.pair('a', '5')).toEqual(['a', 5]);
      await expect(stub.pair('a', 'b')).rejects.toMatchObject({ data: { issues: [{ path: [1] }] } });
      await expect(stub.pair('a')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    });

    test('take what is by reference as what it is', async () => {
      using stub = connect();
      expect(await stub.callBack((asked: string) => `${asked}?`, stub.count())).toEqual(['who?', 0]);
      await expect(stub.callBack('no function' as never, 0)).rejects.toMatchObject({
        data: { issues: [{ path: [0] }] },
      });
    });

    test('come before guards, which see what the method will get', async () => {
      using stub = connect();
      expect(await stub.both('four' as never)).toBe(4);
      await expect(stub.both('eleven' as never)).rejects.toMatchObject(DENIED);
      await expect(stub.both(5)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    });

    test('that fail show nothing of it', async () => {
      using stub = connect();
      for (const failed of [stub.broken(), stub.noList()]) {
        const error = await failed.catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('could not be checked') });
      }
    });

    test('answer a long list of mistakes with the first hundred', async () => {
      using stub = connect();
      const error = await stub.many(new Array(10_000).fill('x')).catch((reason: unknown) => reason);
      expect((error as { data: { issues: unknown[] } }).data.issues).toHaveLength(100);
    });
  });

  describe(`data of errors, ${name}`, () => {
    test('arrives, and where it cannot be sent the error arrives without it', async () => {
      using stub = connect();
      await expect(stub.sendableData()).rejects.toMatchObject({ code: 'DENIED', data: { until: new Date(0) } });
      const error = await stub.unsendableData().catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'DENIED', message: 'with a symbol beside it', data: undefined });
      expect(await stub.open()).toBe('open');
    });
  });
}
