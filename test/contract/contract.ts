import { connection, RpcError, type Stub } from '@lumenize/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ContractTarget } from './contract-target.ts';
import { SAMPLES } from './samples.ts';

/** Connects to a fresh `ContractTarget`. */
export type ConnectContract = () => Stub<ContractTarget>;

/** What holds over every transport. Only the way to connect differs between the suites that call this. */
export function contract(transport: string, connectContract: ConnectContract): void {
  describe(`over ${transport}`, () => {
    let stub: Stub<ContractTarget>;
    // For what types would not let a caller write.
    // biome-ignore lint/suspicious/noExplicitAny: the point is what types forbid
    let untyped: any;

    beforeEach(() => {
      stub = connectContract();
      untyped = stub;
    });
    afterEach(() => stub[Symbol.dispose]());

    /** Runs something and returns the frames that it took. */
    async function frames(run: () => Promise<unknown>): Promise<{ up: number; down: number }> {
      await stub.ran();
      const before = connection(stub).statistics;
      await run();
      const after = connection(stub).statistics;
      return {
        up: after.framesSent - before.framesSent,
        down: after.framesReceived - before.framesReceived,
      };
    }

    describe('calls', () => {
      test('return what the method returns', async () => {
        expect(await stub.add()).toBe(1);
        expect(await stub.add(4)).toBe(5);
        expect(await stub.sum(1, 2, 3)).toBe(6);
      });

      test('read a getter', async () => {
        await stub.add(3);
        expect(await stub.total).toBe(3);
      });

      test('await asynchronous methods', async () => {
        expect(await stub.ownerLater().profile().name).toBe('Ada');
      });

      test('run in the order they were made', async () => {
        const results = await Promise.all([stub.add(), stub.add(), stub.add(), stub.total]);
        expect(results).toEqual([1, 2, 3, 3]);
      });

      test('settle each with its own result when results come in another order', async () => {
        const held = [stub.held(1), stub.held(2), stub.held(3)];
        await stub.ran();
        await stub.release();
        expect(await Promise.all(held)).toEqual([1, 2, 3]);
        expect(connection(stub).statistics.callsInFlight).toBe(0);
      });

      test('take arguments as they are when the call is made', async () => {
        const list = [1];
        const first = stub.echo(list);
        list.push(2);
        const second = stub.echo(list);
        expect([await first, await second]).toEqual([[1], [1, 2]]);
      });

      test('do not share objects with other calls of the frame', async () => {
        const shared = { n: 1 };
        const [first, second] = await Promise.all([stub.echo(shared), stub.echo(shared)]);
        expect(first).toEqual(second);
        expect(first).not.toBe(second);
      });
    });

    describe('values', () => {
      test.each(SAMPLES.map(({ name, make }) => [name, make] as const))(
        '%s arrives as it left',
        async (_name, make) => {
          expect(await stub.echo(make())).toEqual(make());
        },
      );

      test('data with a then property stays data', async () => {
        const value = { then: 'never called', n: 1 };
        expect(await stub.echo(value)).toEqual(value);
      });
    });

    describe('frames', () => {
      test('a call costs one each way', async () => {
        expect(await frames(async () => stub.add())).toEqual({ up: 1, down: 1 });
      });

      test('a hundred calls of one turn cost one each way', async () => {
        const results: number[] = [];
        const spent = await frames(async () => {
          results.push(...(await Promise.all(Array.from({ length: 100 }, () => stub.add()))));
        });
        expect(spent).toEqual({ up: 1, down: 1 });
        expect(results).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      });

      test('a chain of three costs one each way, and each step runs once', async () => {
        expect(await frames(async () => expect(await stub.owner().profile().name).toBe('Ada'))).toEqual({
          up: 1,
          down: 1,
        });
        expect(await stub.ran()).toEqual(['owner', 'profile']);
      });

      test('asynchronous results that are ready together come in one', async () => {
        const held = Array.from({ length: 20 }, (_, index) => stub.held(index));
        expect(
          await frames(async () => {
            stub.release();
            await Promise.all(held);
          }),
        ).toMatchObject({ up: 1, down: expect.toSatisfy((count: number) => count <= 2) });
      });
    });

    describe('references to results', () => {
      test('stand anywhere in arguments', async () => {
        const three = stub.sum(1, 2);
        const [inList, inMap, inSet, inObject] = await Promise.all([
          untyped.echo([three, [three]]),
          untyped.echo(new Map([[three, three]])),
          untyped.echo(new Set([0, three, 9])),
          untyped.echo({ a: { b: three } }),
        ]);
        expect(inList).toEqual([3, [3]]);
        expect(inMap).toEqual(new Map([[3, 3]]));
        expect([...inSet]).toEqual([0, 3, 9]);
        expect(inObject).toEqual({ a: { b: 3 } });
      });

      test('stand in errors, and beside bytes, which are not searched', async () => {
        const three = stub.sum(1, 2);
        const error = await untyped.echo(new Error('x', { cause: [three] }));
        expect(error.cause).toEqual([3]);
        expect(await untyped.echo([new Uint8Array(100_000), stub.sum(1, 1)])).toEqual([new Uint8Array(100_000), 2]);
      });

      test('may name a property of the result', async () => {
        expect(await stub.sum(stub.record().id, stub.sum(1, 1))).toBe(9);
      });

      test('wait for asynchronous results and run once', async () => {
        const profile = stub.ownerLater().profile();
        expect(await Promise.all([profile.greet(profile.name), profile.name])).toEqual(['Ada greets Ada', 'Ada']);
        expect(await stub.ran()).toEqual(['ownerLater', 'profile']);
      });

      test('read properties of data', async () => {
        const record = stub.record();
        expect(await Promise.all([record.inner.name, untyped.record().tags[1], untyped.record().tags.length])).toEqual([
          'deep',
          'b',
          2,
        ]);
      });

      test('fail as the step they refer to, and only they', async () => {
        const outcomes = await Promise.allSettled([
          untyped.throws().more().steps,
          untyped.echo(untyped.throws()),
          stub.add(),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
        expect(outcomes[0]).toMatchObject({ reason: { message: 'it went wrong' } });
        expect(outcomes[1]).toMatchObject({ reason: { message: 'it went wrong' } });
      });

      test('to a step nobody waited for say that it is gone', async () => {
        const record = stub.record();
        await record.inner.name;
        await expect(record).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
      });
    });

    describe('errors', () => {
      test('keep class, name, message, cause and own properties, and no stack of the server', async () => {
        const error = await stub.throws().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(TypeError);
        expect(error).toMatchObject({ message: 'it went wrong', code: 'E_WRONG', details: new Map([['at', 3]]) });
        expect((error as Error).cause).toBeInstanceOf(RangeError);
        expect((error as Error).stack).toBe('TypeError: it went wrong');
      });

      test('of asynchronous methods keep a custom name', async () => {
        await expect(stub.rejects()).rejects.toMatchObject({ name: 'NamedError', message: 'later' });
      });

      test('that are no errors arrive as they were thrown', async () => {
        await expect(stub.throwsString()).rejects.toBe('just text');
      });

      test('that cannot be sent are still answered', async () => {
        await expect(stub.throwsFunction()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
        await expect(stub.uncloneable()).rejects.toMatchObject({
          code: 'NOT_CLONEABLE',
          message: expect.stringContaining('value.inner[0]'),
        });
      });

      test('in arguments name the argument, and the rest of the turn goes on', async () => {
        const [bad, good] = await Promise.allSettled([untyped.echo({ users: [{ token: Symbol('x') }] }), stub.add()]);
        expect(bad).toMatchObject({
          reason: { code: 'NOT_CLONEABLE', message: 'echo(): at argument 0.users[0].token: symbols cannot be cloned' },
        });
        expect(good).toEqual({ status: 'fulfilled', value: 1 });
      });
    });

    describe('what is not declared', () => {
      test.each([
        'nothing',
        'constructor',
        '__proto__',
        'toString',
        'hasOwnProperty',
        'ownProperty',
        '#private',
        'fetch',
        'webSocketMessage',
        'ctx',
        'env',
        'target',
      ])('%s is not called and not read', async (name) => {
        for (const attempt of [() => untyped[name](), () => untyped[name]]) {
          const error = await attempt().then(
            () => 'it was reached',
            (reason: unknown) => reason,
          );
          expect(error).toBeInstanceOf(RpcError);
          expect(error).toMatchObject({ code: 'METHOD_NOT_FOUND', message: expect.stringContaining(name) });
        }
        expect(await stub.ran()).toEqual([]);
      });

      test('then is no member, so that a stub can be returned from an async function', async () => {
        expect(await Promise.resolve(stub)).toBe(stub);
      });

      test('prototypes cannot be reached through data', async () => {
        for (const name of ['__proto__', 'constructor', 'toString']) {
          await expect(untyped.record()[name]).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
          await expect(untyped.record().tags[name]).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
        }
      });
    });

    describe('closing', () => {
      test('rejects what has not settled, and all later calls', async () => {
        const held = stub.held(1);
        await stub.ran();
        stub[Symbol.dispose]();
        await expect(held).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
        await expect(stub.add()).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
        expect(connection(stub).state).toBe('closed');
        expect(connection(stub).statistics.callsInFlight).toBe(0);
      });
    });
  });
}
