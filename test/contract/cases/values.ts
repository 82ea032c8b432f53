import { part } from '../case.ts';
import { expect } from '../expect.ts';
import { SAMPLES } from '../samples.ts';

export const VALUES = part('values', [
  ...SAMPLES.map(({ name, make }) => ({
    name: `${name} arrives as it left`,
    async run({ stub }: { stub: { echo(value: unknown): Promise<unknown> } }) {
      expect(await stub.echo(make())).toEqual(make());
    },
  })),
  {
    name: 'data with a then property stays data',
    async run({ stub }) {
      const value = { then: 'never called', n: 1 };
      expect(await stub.echo(value)).toEqual(value);
    },
  },
  {
    name: 'a cycle arrives as a cycle',
    async run({ untyped }) {
      const cyclic: { self?: unknown; list: unknown[] } = { list: [] };
      cyclic.self = cyclic;
      cyclic.list.push(cyclic.list);
      const arrived = await untyped.echo(cyclic);
      expect(arrived.self === arrived).toBe(true);
      expect(arrived.list[0] === arrived.list).toBe(true);
    },
  },
  {
    name: 'one object in two places arrives as one object in two places',
    async run({ untyped }) {
      const shared = { n: 1 };
      const arrived = await untyped.echo([shared, { shared }]);
      expect(arrived[0] === arrived[1].shared).toBe(true);
    },
  },
]);
