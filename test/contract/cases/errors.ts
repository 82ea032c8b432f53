import { part } from '../case.ts';
import { expect } from '../expect.ts';

export const ERRORS = part('errors', [
  {
    name: 'keep their class and message',
    async run({ stub }) {
      await expect(stub.throws()).rejects.toBeInstanceOf(TypeError);
      await expect(stub.throws()).rejects.toMatchObject({ message: 'it went wrong' });
    },
  },
  {
    name: 'keep their cause, with its class',
    async run({ stub }) {
      const error = await stub.throws().catch((reason: unknown) => reason);
      expect((error as Error).cause).toBeInstanceOf(RangeError);
      expect((error as Error).cause).toMatchObject({ message: 'the reason' });
    },
  },
  {
    name: 'keep their own properties',
    async run({ stub }) {
      await expect(stub.throws()).rejects.toMatchObject({ code: 'E_WRONG', details: { at: [3] } });
    },
  },
  {
    name: 'show no stack of the server',
    async run({ stub }) {
      const error = await stub.throws().catch((reason: unknown) => reason);
      expect((error as Error).stack ?? '').toMatch(/^(?!.*contract-target)/s);
    },
  },
  {
    name: 'of asynchronous methods keep a custom name',
    async run({ stub }) {
      await expect(stub.rejects()).rejects.toMatchObject({ name: 'NamedError', message: 'later' });
    },
  },
  {
    name: 'that are no errors arrive as they were thrown',
    async run({ stub }) {
      await expect(stub.throwsString()).rejects.toBe('just text');
    },
  },
  {
    name: 'may be undefined',
    async run({ stub }) {
      await expect(stub.throwsNothing()).rejects.toBe(undefined);
    },
  },
  {
    name: 'that gather others keep them, with their classes',
    async run({ stub }) {
      const error = (await stub.throwsTogether().catch((reason: unknown) => reason)) as AggregateError;
      expect(error).toBeInstanceOf(AggregateError);
      expect(error.errors[0]).toBeInstanceOf(RangeError);
      expect(error).toMatchObject({ message: 'both', errors: [{ message: 'one' }, { message: 'two' }] });
    },
  },
  {
    name: 'that are DOMExceptions stay such',
    async run({ stub }) {
      const error = await stub.throwsInterrupted().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DOMException);
      expect(error).toMatchObject({ name: 'AbortError', message: 'interrupted' });
    },
  },
  {
    name: 'whose cause leads back to them arrive so',
    async run({ stub }) {
      const error = (await stub.throwsCircle().catch((reason: unknown) => reason)) as { cause: { cause: unknown } };
      expect(error.cause.cause === error).toBe(true);
    },
  },
  {
    name: 'show in their stack where the call was made',
    async run({ stub }) {
      async function placeOfTheCall() {
        await stub.throws();
      }
      const error = (await placeOfTheCall().catch((reason: unknown) => reason)) as Error;
      expect(error.stack ?? '').toMatch(/placeOfTheCall/);
    },
  },
  {
    name: 'that cannot be sent are still answered',
    async run({ stub }) {
      await expect(stub.throwsSymbol()).rejects.toBeInstanceOf(Error);
      await expect(stub.uncloneable()).rejects.toBeInstanceOf(Error);
    },
  },
  {
    name: 'of a result that cannot be sent name the path to it',
    async run({ stub }) {
      await expect(stub.uncloneable()).rejects.toMatchObject({ code: 'NOT_CLONEABLE', message: /value\.inner\[0\]/ });
    },
  },
  {
    name: 'in arguments reject that call only, and the rest of the turn goes on',
    async run({ untyped, stub }) {
      const [bad, good] = await Promise.allSettled([untyped.echo({ users: [{ token: Symbol('x') }] }), stub.sum(1)]);
      expect(bad.status).toBe('rejected');
      expect(good).toEqual({ status: 'fulfilled', value: 1 });
    },
  },
  {
    name: 'in arguments name the method, the argument and the path in it',
    async run({ untyped }) {
      await expect(untyped.echo({ users: [{ token: Symbol('x') }] })).rejects.toMatchObject({
        code: 'NOT_CLONEABLE',
        message: 'echo(): at argument 0.users[0].token: symbols cannot be cloned: pass a string',
      });
    },
  },
  {
    name: 'of a closed connection say whether the call may have run',
    needs: ['state'],
    async run({ stub, close }) {
      const held = stub.held(1);
      await stub.ran();
      close();
      await expect(held).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await expect(stub.add()).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
    },
  },
]);
