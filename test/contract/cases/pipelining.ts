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
      expect(await Promise.all([record.inner.name, untyped.record().tags[1], untyped.record().tags.length])).toEqual([
        'deep',
        'b',
        2,
      ]);
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
]);
