import { part } from '../case.ts';
import type { Untyped } from '../context.ts';
import { expect } from '../expect.ts';

export const MAPPING = part('map and filter', [
  {
    name: 'map() runs a recorded callback for every item',
    async run({ untyped }) {
      expect(await untyped.ids(3).map((id: Untyped) => untyped.describe(id))).toEqual([
        'number 0',
        'number 1',
        'number 2',
      ]);
    },
  },
  {
    name: 'map() costs one frame each way, however many items there are',
    needs: ['frames'],
    async run({ untyped, frames }) {
      const lists: Untyped[] = [];
      for (const length of [0, 1, 500]) {
        const spent = await frames(async () => {
          // Kept: a frame releases each that was collected as garbage, whenever that is.
          lists.push(untyped.ids(length));
          const described = await lists.at(-1).map((id: Untyped) => untyped.describe(id));
          expect(described.length).toBe(length);
        });
        expect(spent).toEqual({ up: 1, down: 1 });
      }
      expect(lists.length).toBe(3);
    },
  },
  {
    name: 'map() may build data around what it was given',
    async run({ untyped }) {
      const mapped = await untyped.rows(2).map((row: Untyped) => ({ id: row.id, list: [row.name, 'same'] }));
      expect(mapped).toEqual([
        { id: 0, list: ['row 0', 'same'] },
        { id: 1, list: ['row 1', 'same'] },
      ]);
    },
  },
  {
    name: 'map() may call methods of items, one after the other',
    async run({ untyped }) {
      const mapped = await untyped.rows(3).map((row: Untyped) => untyped.sum(row.counter.increment(), row.id));
      expect(mapped).toEqual([1, 12, 23]);
    },
  },
  {
    name: 'map() may use results from outside of it',
    async run({ stub, untyped }) {
      const hundred = stub.sum(50, 50);
      expect(await untyped.ids(3).map((id: Untyped) => untyped.sum(id, hundred))).toEqual([100, 101, 102]);
    },
  },
  {
    name: 'map() may stand in map()',
    async run({ untyped }) {
      const mapped = await untyped
        .ids(3)
        .map((id: Untyped) => untyped.ids(id).map((inner: Untyped) => untyped.sum(id, inner)));
      expect(mapped).toEqual([[], [1], [2, 3]]);
    },
  },
  {
    name: 'map() may come after map(), and its result be an argument',
    async run({ untyped }) {
      const texts = untyped
        .ids(2)
        .map((id: Untyped) => untyped.sum(id, 1))
        .map((id: Untyped) => untyped.describe(id));
      expect(await untyped.echo({ texts })).toEqual({ texts: ['number 1', 'number 2'] });
    },
  },
  {
    name: 'map() waits for asynchronous methods and keeps the order of items',
    async run({ untyped }) {
      expect(await untyped.ids(3).map((id: Untyped) => untyped.describeLater(id))).toEqual([
        'number 0',
        'number 1',
        'number 2',
      ]);
    },
  },
  {
    name: 'map() of results in a property of a result',
    async run({ untyped }) {
      expect(await untyped.record().tags.map((tag: Untyped) => untyped.echo([tag]))).toEqual([['a'], ['b']]);
    },
  },
  {
    name: 'map() of a Map gives the callback value and key',
    async run({ untyped }) {
      const mapped = await untyped.idsByName().map((id: Untyped, name: Untyped) => untyped.echo([name, id]));
      expect([...(mapped instanceof Map ? mapped.values() : mapped)]).toEqual([
        ['one', 1],
        ['two', 2],
        ['three', 3],
      ]);
    },
  },
  {
    name: 'map() of an async iterable runs for every item of it',
    needs: ['channels'],
    async run({ untyped }) {
      const texts: unknown[] = [];
      for await (const text of await untyped.count(3).map((n: Untyped) => untyped.describe(n))) texts.push(text);
      expect(texts).toEqual(['number 0', 'number 1', 'number 2']);
    },
  },
  {
    name: 'map() may return what was given to it, a constant, or nothing',
    async run({ untyped }) {
      expect(await untyped.ids(2).map((id: Untyped) => id)).toEqual([0, 1]);
      expect(await untyped.ids(2).map(() => 'constant')).toEqual(['constant', 'constant']);
      expect(await untyped.ids(2).map(() => undefined)).toEqual([undefined, undefined]);
    },
  },
  {
    name: 'map() may return references',
    needs: ['references'],
    async run({ untyped }) {
      const counters = await untyped.ids(2).map((id: Untyped) => untyped.counter(id));
      expect(await counters[1].increment()).toBe(2);
    },
  },
  {
    name: 'map() fails as the first item that fails',
    async run({ untyped }) {
      await expect(untyped.ids(4).map((id: Untyped) => untyped.describeOdd(id))).rejects.toMatchObject({
        message: '0 is even',
      });
    },
  },
  {
    name: 'map() with settle says of every item what became of it',
    async run({ untyped }) {
      const settled = await untyped.ids(3).map((id: Untyped) => untyped.describeOdd(id), { settle: true });
      expect(settled.map(({ status }: PromiseSettledResult<unknown>) => status)).toEqual([
        'rejected',
        'fulfilled',
        'rejected',
      ]);
      expect(settled[1].value).toBe('number 1');
      expect(settled[2].reason).toBeInstanceOf(RangeError);
      expect(settled[2].reason).toMatchObject({ message: '2 is even' });
    },
  },
  {
    name: 'map() calls its callback once, on the client',
    async run({ untyped }) {
      let called = 0;
      await untyped.ids(10).map((id: Untyped) => {
        called++;
        return id;
      });
      expect(called).toBe(1);
    },
  },
  {
    name: 'filter() keeps the items for which its callback gives something true',
    async run({ untyped }) {
      expect(await untyped.ids(5).filter((id: Untyped) => untyped.isEven(id))).toEqual([0, 2, 4]);
      const rows = await untyped
        .rows(3)
        .filter((row: Untyped) => row.flag)
        .map((row: Untyped) => row.name);
      expect(rows).toEqual(['row 0', 'row 2']);
    },
  },
  {
    name: 'filter() costs one frame each way',
    needs: ['frames'],
    async run({ untyped, frames }) {
      const spent = await frames(() => untyped.ids(500).filter((id: Untyped) => untyped.isEven(id)));
      expect(spent).toEqual({ up: 1, down: 1 });
    },
  },
  {
    name: 'filter() of a Map keeps entries',
    async run({ untyped }) {
      const kept = await untyped.idsByName().filter((id: Untyped) => untyped.isEven(id));
      expect([...(kept instanceof Map ? kept.values() : kept)].flat()).toMatchObject(
        kept instanceof Map ? [2] : ['two', 2],
      );
    },
  },
  {
    name: 'map() of what is no collection is refused, and says what it is',
    needs: ['collections'],
    async run({ untyped }) {
      await expect(untyped.sum(1, 2).map((n: Untyped) => untyped.describe(n))).rejects.toMatchObject({
        message: /number/,
      });
    },
  },
  {
    name: 'an async callback is refused, and the error says why',
    async run({ untyped }) {
      await expect(attempt(() => untyped.ids(2).map(async (id: Untyped) => id))).rejects.toMatchObject({
        message: /async/,
      });
    },
  },
  {
    name: 'a callback that compares or calculates is refused',
    async run({ untyped }) {
      await expect(attempt(() => untyped.ids(2).map((id: Untyped) => id > 3))).rejects.toBeInstanceOf(Error);
      await expect(attempt(() => untyped.ids(2).map((id: Untyped) => id + 1))).rejects.toBeInstanceOf(Error);
      await expect(attempt(() => untyped.rows(2).map((row: Untyped) => `${row.name}!`))).rejects.toBeInstanceOf(Error);
    },
  },
  {
    name: 'a callback that reads a property only to branch on it is refused',
    async run({ untyped }) {
      const branching = (row: Untyped) => {
        if (row.flag) return 'yes';
        return 'no';
      };
      await expect(attempt(() => untyped.rows(2).map(branching))).rejects.toBeInstanceOf(Error);
    },
  },
  {
    name: 'a callback that throws makes map() fail with what it threw',
    async run({ untyped }) {
      const failing = () => {
        throw new RangeError('from the callback');
      };
      await expect(attempt(() => untyped.ids(2).map(failing))).rejects.toMatchObject({ message: 'from the callback' });
    },
  },
  {
    name: 'after a callback that was refused, calls go on as before',
    async run({ untyped }) {
      await attempt(() => untyped.ids(2).map((id: Untyped) => `${id}`)).catch(() => {});
      expect(await untyped.sum(1, 2)).toBe(3);
      expect(await untyped.ids(2).map((id: Untyped) => untyped.sum(id, 1))).toEqual([1, 2]);
    },
  },
]);

/** Awaits what a function returns, or throws: whether it fails at once or later is all the same. */
async function attempt(run: () => unknown): Promise<unknown> {
  return run();
}
