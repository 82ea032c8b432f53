import { part } from '../case.ts';
import { expect } from '../expect.ts';

export const ORDERING = part(
  'ordering',
  [
    {
      name: 'calls of one turn run in the order they were made',
      async run({ stub }) {
        const results = await Promise.all([stub.add(), stub.add(), stub.add(), stub.total]);
        expect(results).toEqual([1, 2, 3, 3]);
      },
    },
    {
      name: 'a hundred calls of one turn run in the order they were made',
      async run({ stub }) {
        const results = await Promise.all(Array.from({ length: 100 }, () => stub.add()));
        expect(results).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      },
    },
    {
      name: 'calls of several turns run in the order they were made',
      async run({ stub }) {
        const results: Promise<number>[] = [];
        for (let turn = 0; turn < 10; turn++) {
          results.push(stub.add(), stub.add());
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
        expect(await Promise.all(results)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      },
    },
    {
      name: 'calls that are made before the connection is open run in the order they were made',
      async run({ connect }) {
        const stub = connect();
        const first = [stub.add(), stub.add()];
        await Promise.resolve().then(() => {});
        const second = [stub.add(), stub.total];
        expect(await Promise.all([...first, ...second])).toEqual([1, 2, 3, 3]);
      },
    },
    {
      name: 'more calls than a frame takes run in the order they were made',
      async run({ stub }) {
        const results = await Promise.all(Array.from({ length: 5000 }, () => stub.add()));
        expect(results.every((result, index) => result === index + 1)).toBe(true);
      },
    },
    {
      name: 'calls begin in order while others are still running',
      async run({ stub }) {
        const held = stub.held(7);
        expect(await Promise.all([stub.add(), stub.add()])).toEqual([1, 2]);
        await stub.release();
        expect(await held).toBe(7);
      },
    },
    {
      name: 'calls of steps begin in the order they were made, among those of the target',
      async run({ stub }) {
        const owner = stub.owner();
        await Promise.all([owner.profile().name, stub.add(), owner.profile().name, stub.add()]);
        expect(await stub.ran()).toEqual(['owner', 'profile', 'add', 'profile', 'add']);
      },
    },
    {
      name: 'calls through a stub that was received and through the connection’s run in the order they were made',
      needs: ['references'],
      async run({ stub, untyped }) {
        const self = await untyped.self();
        const results = [self.add(), stub.add(), self.add(), untyped.self().add(), stub.add()];
        expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
      },
    },
    {
      name: 'calls of a callback arrive in the order they were made, before the result behind them',
      needs: ['callbacks'],
      async run({ untyped }) {
        const order: unknown[] = [];
        const calls = untyped.callTimes((n: number) => void order.push(n), 5).then(() => order.push('returned'));
        await calls;
        expect(order).toEqual([0, 1, 2, 3, 4, 'returned']);
      },
    },
  ],
  ['state'],
);
