import { part } from '../case.ts';
import { expect } from '../expect.ts';

export const CANCELLATION = part('cancellation and context', [
  {
    name: 'aborting the signal of a call rejects it with CANCELLED, with the signal’s reason as cause',
    needs: ['state'],
    async run({ stub, withOptions }) {
      const controller = new AbortController();
      const held = withOptions({ signal: controller.signal }).held(1);
      await stub.ran();
      const reason = new Error('changed my mind');
      controller.abort(reason);
      const error = await held.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'RpcError', code: 'CANCELLED' });
      expect(error.cause === reason).toBe(true);
    },
  },
  {
    name: 'a call that is made with an aborted signal rejects and does not run',
    needs: ['state'],
    async run({ stub, withOptions }) {
      const call = withOptions({ signal: AbortSignal.abort() }).add();
      await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(await stub.ran()).toEqual([]);
    },
  },
  {
    name: 'aborting after the result is there changes nothing',
    async run({ withOptions }) {
      const controller = new AbortController();
      const sum = withOptions({ signal: controller.signal }).sum(1, 2);
      expect(await sum).toBe(3);
      controller.abort();
      expect(await sum).toBe(3);
    },
  },
  {
    name: 'one signal cancels many calls, and no others',
    needs: ['state'],
    async run({ stub, withOptions }) {
      const controller = new AbortController();
      const cancellable = withOptions({ signal: controller.signal });
      const calls = [cancellable.held(1), cancellable.held(2)];
      const other = stub.held(3);
      await stub.ran();
      controller.abort();
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
      await stub.release();
      expect(await other).toBe(3);
    },
  },
  {
    name: 'callContext().signal is aborted on the server when the caller aborts',
    needs: ['journal', 'state'],
    async run({ withOptions, key, until, journal }) {
      const controller = new AbortController();
      const call = withOptions({ signal: controller.signal }).untilCancelled(key);
      await until(journal, (events) => events.includes('begun'));
      controller.abort();
      await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
      await until(journal, (events) => events.length === 2);
      expect((await journal())[1]).toMatch(/^cancelled/);
    },
  },
  {
    name: 'a call that takes longer than its timeout rejects with TIMED_OUT',
    async run({ withOptions }) {
      await expect(withOptions({ timeoutMs: 20 }).takesASecond()).rejects.toMatchObject({
        name: 'RpcError',
        code: 'TIMED_OUT',
      });
    },
  },
  {
    name: 'a timeout aborts callContext().signal on the server',
    needs: ['journal', 'state'],
    async run({ stub, withOptions, key, until, journal }) {
      // What is given up before there is a connection is not made at all.
      await stub.sum(1, 2);
      await expect(withOptions({ timeoutMs: 20 }).untilCancelled(key)).rejects.toMatchObject({ code: 'TIMED_OUT' });
      await until(journal, (events) => events.length === 2);
    },
  },
  {
    name: 'a call that ends in time is not timed out',
    async run({ withOptions }) {
      expect(await withOptions({ timeoutMs: 60_000 }).sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'options hold for calls of results and steps too',
    needs: ['state'],
    async run({ withOptions }) {
      const impatient = withOptions({ timeoutMs: 20 });
      await expect(impatient.self().held(1)).rejects.toMatchObject({ code: 'TIMED_OUT' });
    },
  },
  {
    name: 'a cancelled call leaves nothing behind on the client',
    needs: ['state', 'statistics'],
    async run({ stub, withOptions, counts }) {
      const controller = new AbortController();
      const held = withOptions({ signal: controller.signal }).held(1);
      await stub.ran();
      controller.abort();
      await expect(held).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(counts().callsInFlight).toBe(0);
      await stub.release();
      expect(await stub.sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'the end of the connection aborts callContext().signal',
    needs: ['journal', 'state'],
    async run({ untyped, close, key, until, journal }) {
      const call = untyped.untilCancelled(key);
      await until(journal, (events) => events.includes('begun'));
      close();
      await expect(call).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await until(journal, (events) => events.length === 2);
    },
  },
  {
    name: 'an AbortSignal is an argument, and aborting it reaches the server with the reason',
    needs: ['channels', 'journal', 'state'],
    async run({ untyped, key, until, journal }) {
      const controller = new AbortController();
      const call = untyped.untilAborted(controller.signal, key);
      await until(journal, (events) => events.includes('begun'));
      controller.abort(new Error('stop'));
      expect(await call).toBe('aborted: stop');
    },
  },
  {
    name: 'an AbortSignal that is aborted already arrives so',
    async run({ untyped }) {
      expect(await untyped.untilAborted(AbortSignal.abort(new Error('before')))).toBe('aborted: before');
    },
  },
  {
    name: 'an AbortSignal stands in data',
    needs: ['channels', 'journal', 'state'],
    async run({ untyped, key, until, journal }) {
      const controller = new AbortController();
      const call = untyped.untilAbortedIn({ deep: [controller.signal] }, key);
      await until(journal, (events) => events.includes('begun'));
      controller.abort(new Error('stop'));
      expect(await call).toBe('aborted: stop');
    },
  },
  {
    name: 'the end of the connection aborts a signal that was an argument',
    needs: ['channels', 'journal', 'state'],
    async run({ untyped, close, key, until, journal }) {
      const call = untyped.untilAborted(new AbortController().signal, key);
      await until(journal, (events) => events.includes('begun'));
      close();
      await expect(call).rejects.toBeInstanceOf(Error);
      await until(journal, (events) => events.includes('aborted'));
    },
  },
  {
    name: 'callContext() gives the caller',
    needs: ['caller'],
    async run({ untyped }) {
      expect(typeof (await untyped.context()).connectionId).toBe('string');
    },
  },
  {
    name: 'callContext() gives the id of the call, and a signal that is not aborted',
    async run({ untyped }) {
      const context = await untyped.context();
      expect(context.callId === undefined).toBe(false);
      expect(context.aborted).toBe(false);
    },
  },
  {
    name: 'callContext() gives each call its own, also after an await',
    needs: ['state'],
    async run({ untyped }) {
      const contexts = await Promise.all([untyped.contextLater(), untyped.contextLater(), untyped.contextLater()]);
      for (const { before, after } of contexts) expect(after).toEqual(before);
      expect(new Set(contexts.map(({ before }) => before.callId)).size).toBe(3);
      expect(new Set(contexts.map(({ before }) => before.connectionId)).size).toBe(1);
    },
  },
  {
    name: 'callContext() gives the deadline and the traceparent of the call, and none where there is none',
    async run({ untyped, withOptions }) {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const context = await withOptions({ timeoutMs: 60_000, traceparent }).context();
      expect(context.traceparent).toBe(traceparent);
      expect(typeof context.deadline).toBe('number');
      expect(await untyped.context()).toMatchObject({ traceparent: undefined, deadline: undefined });
    },
  },
]);
