import { part } from '../case.ts';
import type { CaseContext, Untyped } from '../context.ts';
import { expect } from '../expect.ts';
import { clientCounter } from './client-counter.ts';

/** Waits until the server has let go of something that was made with the case's key. */
async function untilDisposed({ until, journal }: CaseContext, times = 1): Promise<void> {
  await until(journal, (events) => events.length >= times);
  expect(await journal()).toEqual(Array.from({ length: times }, () => 'disposed'));
}

/** Collects garbage until the server has noted what is waited for. */
function collectUntil({ until, journal, collectGarbage }: CaseContext, isRight: (events: string[]) => boolean) {
  return until(async () => {
    await collectGarbage();
    return journal();
  }, isRight);
}

export const REFERENCES = part(
  'references',
  [
    {
      name: 'a target that is a result arrives as a stub, and keeps its state over many turns',
      async run({ untyped }) {
        using counter = await untyped.counter(5);
        expect(await counter.increment()).toBe(6);
        expect(await counter.increment(4)).toBe(10);
        expect(await counter.value).toBe(10);
      },
    },
    {
      name: 'a function that is a result arrives as a function',
      async run({ untyped }) {
        const add = await untyped.adder(3);
        expect(typeof add).toBe('function');
        expect(await add(4)).toBe(7);
        expect(await Promise.all([add(1), add(2)])).toEqual([4, 5]);
      },
    },
    {
      name: 'a function’s error arrives as a method’s does',
      async run({ untyped }) {
        const fail = await untyped.failingFunction();
        await expect(fail()).rejects.toBeInstanceOf(RangeError);
        await expect(fail()).rejects.toMatchObject({ message: 'from a function' });
      },
    },
    {
      name: 'references stand in objects and lists, beside data',
      async run({ untyped }) {
        const data = await untyped.referencesInData();
        expect(data.list[1]).toBe('data');
        expect(data.at).toEqual(new Date(0));
        expect(await Promise.all([data.counter.increment(), data.list[0].increment(), data.add(1)])).toEqual([2, 3, 4]);
      },
    },
    {
      name: 'references stand in Maps',
      async run({ untyped }) {
        const map: Map<string, Untyped> = await untyped.referencesInMap();
        expect([...map.keys()]).toEqual(['one', 'two']);
        expect(await map.get('two').increment()).toBe(3);
      },
    },
    {
      name: 'a reference that is in a value twice is one stub there',
      async run({ untyped }) {
        const [one, other] = await untyped.oneCounterTwice();
        expect(one === other).toBe(true);
      },
    },
    {
      name: 'a target that arrives again is the stub that is there already',
      async run({ untyped }) {
        const one = await untyped.sharedCounter();
        const other = await untyped.sharedCounter();
        expect(one === other).toBe(true);
      },
    },
    {
      name: 'an error may carry a reference',
      async run({ untyped }) {
        const error = await untyped.throwsWithCounter().catch((reason: unknown) => reason);
        expect(error.message).toBe('see the counter');
        expect(await error.counter.increment()).toBe(8);
      },
    },
    {
      name: 'a target may return itself, also the connection’s own',
      async run({ untyped }) {
        const self = await untyped.self();
        expect(await self.sum(1, 2)).toBe(3);
        self[Symbol.dispose]();
        expect(await untyped.sum(1, 2)).toBe(3);
      },
    },
    {
      name: 'a stub is nothing to wait for: awaiting it gives the stub',
      async run({ untyped }) {
        const counter = await untyped.counter();
        expect((await counter) === counter).toBe(true);
      },
    },
    {
      name: 'what the stub of a target inside data answers costs one frame each way',
      needs: ['frames'],
      async run({ untyped, frames }) {
        using counter = await untyped.counter();
        expect(await frames(() => counter.increment())).toEqual({ up: 1, down: 1 });
      },
    },
    {
      name: 'a target of the server that goes there and back is the same stub',
      async run({ untyped }) {
        const counter = await untyped.counter();
        expect((await untyped.giveBack(counter)) === counter).toBe(true);
      },
    },
    {
      name: 'a target of the server that comes back is the original there',
      async run({ untyped }) {
        const [, second] = await untyped.counters(3);
        expect(await untyped.indexOfCounter(second)).toBe(1);
        expect(await untyped.areSame(second, second)).toBe(true);
      },
    },
    {
      name: 'a function of the server that comes back is the original there',
      async run({ untyped }) {
        const add = await untyped.adder(1);
        expect(await untyped.areSame(add, add)).toBe(true);
        expect((await untyped.giveBack(add)) === add).toBe(true);
      },
    },
    {
      name: 'a target of the client that goes there and back is the original',
      async run(context) {
        const { untyped } = context;
        const counter = clientCounter(context);
        expect((await untyped.giveBack(counter)) === counter).toBe(true);
        const { deep } = await untyped.giveBackInData(counter);
        expect(deep[0] === counter).toBe(true);
      },
    },
    {
      name: 'the server calls methods and reads getters of a target of the client',
      async run(context) {
        const counter = clientCounter(context);
        expect(await context.untyped.incrementRemote(counter, 3)).toBe(3);
        expect(await context.untyped.readRemote(counter)).toBe(3);
        expect(counter.value).toBe(3);
      },
    },
    {
      name: 'a target of the client that is sent twice is one on the server',
      async run(context) {
        const counter = clientCounter(context);
        expect(await context.untyped.areSame(counter, counter)).toBe(true);
        await context.untyped.keepReference(counter);
        expect(await context.untyped.isKept(counter)).toBe(true);
      },
    },
    {
      name: 'a target of the client that the server keeps can be called by later calls',
      needs: ['state'],
      async run(context) {
        const counter = clientCounter(context);
        await context.untyped.keepReference(counter);
        expect(await context.untyped.incrementKept()).toBe(1);
        expect(await context.untyped.incrementKept()).toBe(2);
      },
    },
    {
      name: 'a kept target of the client comes back as the original in a later turn',
      needs: ['state'],
      async run(context) {
        const counter = clientCounter(context);
        await context.untyped.keepReference(counter);
        expect((await context.untyped.kept()) === counter).toBe(true);
      },
    },
    {
      name: 'using releases a target at the end of its block',
      needs: ['journal'],
      async run(context) {
        {
          using counter = await context.untyped.counter(0, context.key);
          await counter.increment();
          expect(await context.journal()).toEqual([]);
        }
        await untilDisposed(context);
      },
    },
    {
      name: 'disposing releases, and disposing again does no harm',
      needs: ['journal'],
      async run(context) {
        const counter = await context.untyped.counter(0, context.key);
        counter[Symbol.dispose]();
        counter[Symbol.dispose]();
        await untilDisposed(context);
        expect(await context.untyped.sum(1)).toBe(1);
      },
    },
    {
      name: 'disposing a result that was never awaited releases it',
      needs: ['journal'],
      async run(context) {
        {
          using counter = context.untyped.counter(0, context.key);
          expect(await counter.increment()).toBe(1);
        }
        await untilDisposed(context);
      },
    },
    {
      name: 'disposing a result before it is there releases it when it comes',
      needs: ['journal'],
      async run(context) {
        const counter = context.untyped.counterLater(0, context.key);
        counter[Symbol.dispose]();
        await untilDisposed(context);
      },
    },
    {
      name: 'calls that were made before a stub was disposed still run',
      async run({ untyped }) {
        const counter = await untyped.counter();
        const value = counter.increment();
        counter[Symbol.dispose]();
        expect(await value).toBe(1);
      },
    },
    {
      name: 'a target that is held twice is released when both are',
      needs: ['journal', 'state'],
      async run(context) {
        const first = await context.untyped.counter(0, context.key);
        const { deep } = await context.untyped.giveBackInData(first);
        first[Symbol.dispose]();
        if (deep[0] !== first) {
          expect(await deep[0].increment()).toBe(1);
          deep[0][Symbol.dispose]();
        }
        await untilDisposed(context);
      },
    },
    {
      name: 'calling a stub that was disposed rejects, and nothing is sent',
      needs: ['frames'],
      async run({ untyped, frames }) {
        const counter = await untyped.counter();
        counter[Symbol.dispose]();
        await untyped.sum(1);
        const { up } = await frames(() => expect(counter.increment()).rejects.toBeInstanceOf(Error));
        expect(up).toBe(0);
      },
    },
    {
      name: 'calling a stub that was disposed says where that was',
      async run({ untyped }) {
        const counter = await untyped.counter();
        (function placeOfDisposal() {
          counter[Symbol.dispose]();
        })();
        const error = await counter.increment().catch((reason: unknown) => reason);
        expect(error).toMatchObject({ code: 'REFERENCE_LOST', message: /disposed/ });
        expect(`${error.stack}\n${error.cause?.stack}`).toMatch(/placeOfDisposal/);
      },
    },
    {
      name: 'passing a stub that was disposed rejects',
      async run({ untyped }) {
        const counter = await untyped.counter();
        counter[Symbol.dispose]();
        const outcome = (async () => untyped.echo(counter))();
        await expect(outcome).rejects.toBeInstanceOf(Error);
      },
    },
    {
      name: 'garbage collection releases what was not disposed',
      needs: ['journal', 'garbageCollection'],
      async run(context) {
        await (async () => {
          const counter = await context.untyped.counter(0, context.key);
          await counter.increment();
        })();
        await collectUntil(context, (events) => events.length > 0);
        await untilDisposed(context);
      },
    },
    {
      name: 'garbage collection leaves what is in use',
      needs: ['journal', 'garbageCollection'],
      async run(context) {
        const counter = await context.untyped.counter(0, context.key);
        await context.collectGarbage();
        await context.collectGarbage();
        expect(await context.journal()).toEqual([]);
        expect(await counter.increment()).toBe(1);
      },
    },
    {
      name: 'the end of the connection releases all targets',
      needs: ['journal'],
      async run(context) {
        await context.untyped.counters(3, context.key);
        context.close();
        await untilDisposed(context, 3);
      },
    },
    {
      name: 'stubs of a connection that has ended reject, and disposing them does no harm',
      async run({ untyped, close }) {
        const counter = await untyped.counter();
        close();
        await expect(counter.increment()).rejects.toBeInstanceOf(Error);
        counter[Symbol.dispose]();
      },
    },
    {
      name: 'the server releases a target of the client when it disposes of it',
      needs: ['state'],
      async run(context) {
        const counter = clientCounter(context);
        await context.untyped.keepReference(counter);
        expect(await context.untyped.incrementKept()).toBe(1);
        await context.untyped.dropKept();
        await context.until(
          () => context.untyped.sum(counter.disposals),
          (disposals) => disposals === 1,
        );
      },
    },
    {
      name: 'the end of the connection disposes of the client’s targets that the server held',
      needs: ['state'],
      async run(context) {
        const counter = clientCounter(context);
        await context.untyped.keepReference(counter);
        context.close();
        await context.until(
          () => counter.disposals,
          (disposals) => disposals === 1,
        );
      },
    },
    {
      name: 'a promise in data has its value for who awaits it',
      async run({ untyped }) {
        const { ready, later } = await untyped.promised();
        expect(await Promise.all([ready, later])).toEqual([5, 6]);
      },
    },
    {
      name: 'a promise in data that is broken rejects for who awaits it, and nowhere else',
      async run({ untyped, unhandledRejections }) {
        const unhandled = await unhandledRejections(async () => {
          // Where promises are awaited before they are sent, so is this, and the call rejects.
          const broken = (async () => (await untyped.brokenPromise()).broken)();
          await expect(broken).rejects.toMatchObject({ message: 'the promise broke' });
        });
        expect(unhandled).toEqual([]);
      },
    },
    {
      name: 'a promise in data may be of a target',
      async run({ untyped }) {
        const { later } = await untyped.promisedCounter();
        const counter = await later;
        expect(await counter.increment()).toBe(6);
      },
    },
    {
      name: 'a promise in arguments is awaited on the server',
      async run({ untyped }) {
        expect(await untyped.awaitInside({ value: Promise.resolve([1, new Date(0)]) })).toEqual([1, new Date(0)]);
        const broken = Promise.reject(new RangeError('from the client'));
        await expect(untyped.awaitInside({ value: broken })).rejects.toMatchObject({ message: 'from the client' });
      },
    },
    {
      name: 'a stub of another connection works as an argument, or is refused before anything is sent',
      async run({ untyped, connect }) {
        const other = connect();
        const counter = await other.counter(3);
        const [outcome] = await Promise.allSettled([untyped.incrementRemote(counter)]);
        if (outcome.status === 'fulfilled') expect(outcome.value).toBe(4);
        else expect(outcome.reason).toMatchObject({ message: /another connection/ });
      },
    },
  ],
  ['references', 'state'],
);
