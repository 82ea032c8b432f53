import { part } from '../case.ts';
import type { Untyped } from '../context.ts';
import { expect } from '../expect.ts';
import { clientCounter } from './client-counter.ts';

export const CALLBACKS = part(
  'callbacks',
  [
    {
      name: 'are called while the method runs, with arguments, and their results come back',
      async run({ untyped }) {
        const calls: unknown[][] = [];
        const callback = (...args: unknown[]) => {
          calls.push(args);
          return { n: 1, at: new Date(0) };
        };
        expect(await untyped.callWith(callback, 'a', { b: [2] })).toEqual({ n: 1, at: new Date(0) });
        expect(calls).toEqual([['a', { b: [2] }]]);
      },
    },
    {
      name: 'are functions on the server',
      async run({ untyped }) {
        expect(await untyped.typeOfCallback(() => 1)).toBe('function');
      },
    },
    {
      name: 'may be asynchronous',
      async run({ untyped }) {
        const callback = async (n: number) => {
          await Promise.resolve();
          return n * 2;
        };
        expect(await untyped.callWith(callback, 21)).toBe(42);
      },
    },
    {
      name: 'are called in the order in which the server calls them',
      async run({ untyped }) {
        const calls: number[] = [];
        await untyped.callTimes((n: number) => void calls.push(n), 50);
        expect(calls).toEqual(Array.from({ length: 50 }, (_, n) => n));
      },
    },
    {
      name: 'many calls of one turn cost one frame each way',
      needs: ['frames'],
      async run({ untyped, frames }) {
        const spent = await frames(() => untyped.callTimes((n: number) => n, 50));
        // One for the call and one with the answers of the callback; the calls of it, and the result.
        expect(spent).toEqual({ up: 2, down: 2 });
      },
    },
    {
      name: 'run at the same time',
      async run({ untyped }) {
        const { promise, resolve } = Promise.withResolvers<string>();
        const waiting = () => promise;
        const releasing = () => {
          resolve('released by the other');
          return 'released';
        };
        expect(await untyped.callBoth(waiting, releasing)).toEqual(['released by the other', 'released']);
      },
    },
    {
      name: 'that throw reject on the server, with class and message',
      async run({ untyped }) {
        const callback = () => {
          throw new RangeError('from the client');
        };
        expect(await untyped.whatItThrows(callback)).toEqual({
          isRangeError: true,
          name: 'RangeError',
          message: 'from the client',
        });
      },
    },
    {
      name: 'whose error the method lets pass comes back to the client',
      async run({ untyped }) {
        const callback = async () => {
          throw new RangeError('round trip');
        };
        await expect(untyped.callWith(callback)).rejects.toMatchObject({ name: 'RangeError', message: 'round trip' });
      },
    },
    {
      name: 'are called after the method has returned',
      async run({ untyped }) {
        const calls: number[] = [];
        const { promise, resolve } = Promise.withResolvers<void>();
        const callback = (n: number) => {
          calls.push(n);
          if (n === 2) resolve();
        };
        expect(await untyped.callAfterwards(callback, 3)).toBe('returned');
        await promise;
        expect(calls).toEqual([0, 1, 2]);
      },
    },
    {
      name: 'that were kept are called by later calls',
      needs: ['state'],
      async run({ untyped }) {
        await untyped.listen((event: string) => `one heard ${event}`);
        await untyped.listen(async (event: string) => `other heard ${event}`);
        expect(await untyped.tell('first')).toEqual(['one heard first', 'other heard first']);
        expect(await untyped.tell('second')).toEqual(['one heard second', 'other heard second']);
      },
    },
    {
      name: 'of one connection are called by its target while the client makes no call',
      needs: ['state'],
      async run({ untyped }) {
        const { promise, resolve } = Promise.withResolvers<unknown>();
        await untyped.listen(resolve);
        await untyped.tellOnly('pushed');
        expect(await promise).toBe('pushed');
      },
    },
    {
      name: 'that are given twice are one function on the server',
      needs: ['state'],
      async run({ untyped }) {
        const callback = () => 1;
        expect(await untyped.areSame(callback, callback)).toBe(true);
        expect(await untyped.areSame(callback, () => 1)).toBe(false);
      },
    },
    {
      name: 'that come back are the original',
      async run({ untyped }) {
        const callback = () => 1;
        expect((await untyped.giveBack(callback)) === callback).toBe(true);
      },
    },
    {
      name: 'stand in nested data',
      async run({ untyped }) {
        expect(await untyped.callInData({ deep: [{ callback: (text: string) => `called ${text}` }] })).toBe(
          'called in data',
        );
      },
    },
    {
      name: 'stand in Maps',
      async run({ untyped }) {
        const callbacks = new Map([['callback', (text: string) => `called ${text}`]]);
        expect(await untyped.callInMap(callbacks)).toBe('called in a Map');
      },
    },
    {
      name: 'may return a target, which the server calls',
      async run(context) {
        const counter = clientCounter(context);
        expect(await context.untyped.incrementWhatItReturns(() => counter)).toBe(10);
        expect(counter.value).toBe(10);
      },
    },
    {
      name: 'may be given a target of the server, and call it',
      async run({ untyped }) {
        expect(await untyped.callWithCounter(async (counter: Untyped) => counter.increment())).toBe(21);
      },
    },
    {
      name: 'may call the server, which runs that while it waits for them',
      async run({ untyped }) {
        const callback = async (n: number) => (await untyped.sum(n, 1)) + (await untyped.callWith(() => 100));
        expect(await untyped.callWith(callback, 5)).toBe(106);
      },
    },
    {
      name: 'may be the function of a method, bound by the client',
      async run(context) {
        const counter = clientCounter(context);
        expect(await context.untyped.callWith(counter.increment.bind(counter), 3)).toBe(3);
        expect(counter.value).toBe(3);
      },
    },
    {
      name: 'that the server calls when the connection has ended reject there, and break nothing',
      needs: ['journal'],
      async run({ untyped, connect, close, unhandledRejections }) {
        const unhandled = await unhandledRejections(async () => {
          await untyped.listen(() => 1);
          void untyped.tell('late').catch(() => {});
          close();
          expect(await connect().sum(1, 2)).toBe(3);
        });
        expect(unhandled).toEqual([]);
      },
    },
    {
      name: 'that have not answered when the connection ends leave no call waiting',
      async run({ untyped, close }) {
        const { promise: called, resolve } = Promise.withResolvers<void>();
        const result = untyped.callWith(() => {
          resolve();
          return new Promise(() => {});
        });
        await called;
        close();
        await expect(result).rejects.toBeInstanceOf(Error);
      },
    },
    {
      name: 'can be collected as garbage on the client when the server has let go of them',
      needs: ['garbageCollection', 'state'],
      async run({ untyped, until, collectGarbage }) {
        const callback = await (async () => {
          const given = () => 'called';
          await untyped.keepReference(given);
          return new WeakRef(given);
        })();
        await untyped.dropKept();
        const collected = async () => {
          await collectGarbage();
          await untyped.sum(1);
          return callback.deref() === undefined;
        };
        await until(collected, (is) => is);
      },
    },
  ],
  ['callbacks'],
);
