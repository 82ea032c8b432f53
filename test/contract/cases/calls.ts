import { part } from '../case.ts';
import { expect } from '../expect.ts';

export const CALLS = part('calls', [
  {
    name: 'return what the method returns',
    needs: ['state'],
    async run({ stub }) {
      expect(await stub.add()).toBe(1);
      expect(await stub.add(4)).toBe(5);
      expect(await stub.sum(1, 2, 3)).toBe(6);
    },
  },
  {
    name: 'read a getter',
    needs: ['state'],
    async run({ stub }) {
      await stub.add(3);
      expect(await stub.total).toBe(3);
    },
  },
  {
    name: 'await asynchronous methods',
    async run({ stub }) {
      expect(await stub.ownerLater().profile().name).toBe('Ada');
    },
  },
  {
    name: 'a method that returns nothing gives undefined',
    async run({ stub }) {
      expect(await stub.returnsNothing()).toBe(undefined);
    },
  },
  {
    name: 'members may be named as those of functions are',
    async run({ stub }) {
      expect(await Promise.all([stub.name, stub.length])).toEqual(['a name', 42]);
      expect(await Promise.all([stub.call('x'), stub.apply('x'), stub.bind('x')])).toEqual([
        'called with x',
        'applied to x',
        'bound to x',
      ]);
    },
  },
  {
    name: 'a member can be taken off its stub and called later',
    async run({ stub }) {
      const { sum } = stub;
      expect(await sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'the stub of a target is an object: tools call what is a function',
    async run({ stub }) {
      expect(typeof stub).toBe('object');
    },
  },
  {
    name: 'results are instances of Promise',
    async run({ stub }) {
      const result = stub.sum(1, 2);
      expect(result).toBeInstanceOf(Promise);
      expect(await result).toBe(3);
    },
  },
  {
    name: 'results are promises to the tools of promises',
    async run({ stub }) {
      const result = stub.sum(1, 2);
      expect(await Promise.race([result])).toBe(3);
      expect(await result.finally(() => {})).toBe(3);
      expect(await stub.throwsString().catch((thrown: unknown) => thrown)).toBe('just text');
    },
  },
  {
    name: 'a result can be awaited again, also later',
    async run({ stub }) {
      const result = stub.sum(1, 2);
      expect(await Promise.all([result, result])).toEqual([3, 3]);
      await stub.sum(1);
      expect(await result).toBe(3);
    },
  },
  {
    name: 'whose result nobody awaits run, and reject nowhere',
    needs: ['state'],
    async run({ stub, unhandledRejections }) {
      const unhandled = await unhandledRejections(async () => {
        void stub.add();
        void stub.throws();
        expect(await stub.ran()).toEqual(['add', 'throws']);
      });
      expect(unhandled).toEqual([]);
    },
  },
  {
    name: 'settle each with its own result when results come in another order',
    needs: ['state'],
    async run({ stub, counts }) {
      const held = [stub.held(1), stub.held(2), stub.held(3)];
      await stub.ran();
      await stub.release();
      expect(await Promise.all(held)).toEqual([1, 2, 3]);
      expect(counts().callsInFlight ?? 0).toBe(0);
    },
  },
  {
    name: 'take arguments as they are when the call is made',
    async run({ stub }) {
      const list = [1];
      const first = stub.echo(list);
      list.push(2);
      const second = stub.echo(list);
      expect([await first, await second]).toEqual([[1], [1, 2]]);
    },
  },
  {
    name: 'do not share objects with other calls of the frame',
    async run({ stub }) {
      const shared = { n: 1 };
      const [first, second] = await Promise.all([stub.echo(shared), stub.echo(shared)]);
      expect(first).toEqual(second);
      expect(first === second).toBe(false);
    },
  },
  {
    name: 'a call costs one frame each way',
    needs: ['frames'],
    async run({ stub, frames }) {
      expect(await frames(() => stub.add())).toEqual({ up: 1, down: 1 });
    },
  },
  {
    name: 'a hundred calls of one turn cost one frame each way',
    needs: ['frames'],
    async run({ stub, frames }) {
      const spent = await frames(() => Promise.all(Array.from({ length: 100 }, () => stub.sum(1, 2))));
      expect(spent).toEqual({ up: 1, down: 1 });
    },
  },
  {
    name: 'asynchronous results that are ready together come in one frame, or two',
    needs: ['frames', 'state'],
    async run({ stub, frames }) {
      const held = Array.from({ length: 20 }, (_, index) => stub.held(index));
      const { up, down } = await frames(async () => {
        stub.release();
        await Promise.all(held);
      });
      expect(up).toBe(1);
      expect(down).toBeAtMost(2);
    },
  },
  {
    name: 'a stub can be returned from an async function, since then is no member of it',
    async run({ stub }) {
      expect((await Promise.resolve(stub)) === stub).toBe(true);
    },
  },
  {
    name: 'that are waiting when the connection is closed reject, and so do later ones',
    needs: ['state'],
    async run({ stub, close, counts }) {
      const held = stub.held(1);
      await stub.ran();
      close();
      await expect(held).rejects.toBeInstanceOf(Error);
      await expect(stub.add()).rejects.toBeInstanceOf(Error);
      expect(counts().callsInFlight ?? 0).toBe(0);
    },
  },
]);
