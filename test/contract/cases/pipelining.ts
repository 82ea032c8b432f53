import { part } from '../case.ts';
import { expect } from '../expect.ts';

export const PIPELINING = part('pipelining', [
  {
    name: 'a chain of three costs one frame each way, and each step runs once',
    needs: ['frames', 'state'],
    async run({ stub, frames }) {
      expect(await frames(async () => expect(await stub.owner().profile().name).toBe('Ada'))).toEqual({
        up: 1,
        down: 1,
      });
      expect(await stub.ran()).toEqual(['owner', 'profile']);
    },
  },
  {
    name: 'results stand in lists and objects of arguments',
    async run({ stub, untyped }) {
      const three = stub.sum(1, 2);
      const [inList, inObject] = await Promise.all([untyped.echo([three, [three]]), untyped.echo({ a: { b: three } })]);
      expect(inList).toEqual([3, [3]]);
      expect(inObject).toEqual({ a: { b: 3 } });
    },
  },
  {
    name: 'results stand in Maps and Sets of arguments, as keys too',
    async run({ stub, untyped }) {
      const three = stub.sum(1, 2);
      const [inMap, inSet] = await Promise.all([
        untyped.echo(new Map([[three, three]])),
        untyped.echo(new Set([0, three, 9])),
      ]);
      expect(inMap).toEqual(new Map([[3, 3]]));
      expect([...inSet]).toEqual([0, 3, 9]);
    },
  },
  {
    name: 'results stand in errors, and beside bytes, which are not searched',
    async run({ stub, untyped }) {
      const three = stub.sum(1, 2);
      const error = await untyped.echo(new Error('x', { cause: [three] }));
      expect(error.cause).toEqual([3]);
      expect(await untyped.echo([new Uint8Array(100_000), stub.sum(1, 1)])).toEqual([new Uint8Array(100_000), 2]);
    },
  },
  {
    name: 'an argument may be a property of a result',
    async run({ stub }) {
      expect(await stub.sum(stub.record().id, stub.sum(1, 1))).toBe(9);
    },
  },
  {
    name: 'steps that are asynchronous run once and are waited for',
    needs: ['state'],
    async run({ stub }) {
      const profile = stub.ownerLater().profile();
      expect(await Promise.all([profile.greet(profile.name), profile.name])).toEqual(['Ada greets Ada', 'Ada']);
      expect(await stub.ran()).toEqual(['ownerLater', 'profile']);
    },
  },
  {
    name: 'properties of data are read on the server',
    async run({ stub, untyped }) {
      const record = stub.record();
      expect(await Promise.all([record.inner.name, record.id, untyped.record().id])).toEqual(['deep', 7, 7]);
    },
  },
  {
    name: 'what depends on a step that fails fails as it does, and only that',
    async run({ stub, untyped }) {
      const outcomes = await Promise.allSettled([
        untyped.throws().more().steps,
        untyped.echo(untyped.throws()),
        stub.sum(1),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
      expect(outcomes[0]).toMatchObject({ reason: { message: 'it went wrong' } });
      expect(outcomes[1]).toMatchObject({ reason: { message: 'it went wrong' } });
    },
  },
  {
    name: 'a result that many calls use is made once',
    async run({ untyped }) {
      const counter = untyped.counter(10);
      const values = await Promise.all(Array.from({ length: 50 }, () => counter.increment()));
      expect(values).toEqual(Array.from({ length: 50 }, (_, index) => index + 11));
    },
  },
  {
    name: 'properties of items of lists are read on the server',
    async run({ untyped }) {
      const rows = untyped.rows(3);
      expect(await Promise.all([rows[1].name, rows[2].counter.increment(), rows.length])).toEqual(['row 1', 21, 3]);
    },
  },
  {
    name: 'a method can be called of what is in data',
    async run({ untyped }) {
      expect(await untyped.referencesInData().counter.increment()).toBe(2);
    },
  },
  {
    name: 'a function in data can be called',
    async run({ untyped }) {
      expect(await untyped.referencesInData().add(4)).toBe(7);
    },
  },
  {
    name: 'a function that is a result can be called when it was awaited',
    needs: ['references'],
    async run({ untyped }) {
      const add = await untyped.adder(3);
      expect(await add(4)).toBe(7);
    },
  },
  {
    name: 'a result that is pending can be used in a later turn',
    needs: ['references', 'state'],
    async run({ stub, untyped }) {
      const held = stub.held(4);
      await stub.ran();
      const sum = untyped.sum(held, 1);
      await stub.release();
      expect(await sum).toBe(5);
    },
  },
  {
    name: 'a result that has settled can be used in a later turn',
    needs: ['references'],
    async run({ stub, untyped }) {
      const three = stub.sum(1, 2);
      await three;
      expect(await untyped.sum(three, 1)).toBe(4);
      expect(await untyped.echo([three])).toEqual([3]);
    },
  },
  {
    name: 'a result that was only a step can be used in a later turn',
    needs: ['references', 'state'],
    async run({ untyped }) {
      const counter = untyped.counter();
      expect(await counter.increment()).toBe(1);
      expect(await counter.increment()).toBe(2);
      expect(await untyped.readRemote(counter)).toBe(2);
    },
  },
  {
    name: 'a result that was only a step can be awaited in a later turn',
    needs: ['references'],
    async run({ untyped }) {
      const counter = untyped.counter();
      await counter.increment();
      using stub = await counter;
      expect(await stub.increment()).toBe(2);
    },
  },
  {
    name: 'data that was only a step can be awaited in a later turn',
    needs: ['references'],
    async run({ untyped }) {
      const record = untyped.record();
      expect(await record.inner.name).toBe('deep');
      expect(await record).toMatchObject({ id: 7, tags: ['a', 'b'] });
    },
  },
  {
    name: 'a failed result used in a later turn fails as it did',
    needs: ['references'],
    async run({ stub, untyped }) {
      const failing = stub.throws();
      await expect(failing).rejects.toBeInstanceOf(TypeError);
      await expect(untyped.echo(failing)).rejects.toMatchObject({ message: 'it went wrong' });
    },
  },
  {
    name: 'steps that fail leave no rejection unhandled, only results that someone awaits reject',
    async run({ untyped, unhandledRejections }) {
      const unhandled = await unhandledRejections(async () => {
        void untyped.throws().more().steps;
        const failing = untyped.throws();
        await expect(untyped.echo(failing)).rejects.toBeInstanceOf(TypeError);
      });
      expect(unhandled).toEqual([]);
    },
  },
  {
    name: 'a result used as text says that it has to be awaited',
    async run({ untyped }) {
      let thrown: unknown;
      try {
        void `${untyped.sum(1, 2)}`;
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({ message: /await/ });
    },
  },
]);
