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
    name: 'a Blob arrives with its bytes and its type',
    async run({ untyped }) {
      const arrived = await untyped.echo(new Blob(['some ', 'text'], { type: 'text/plain' }));
      expect(arrived).toBeInstanceOf(Blob);
      expect(arrived.type).toBe('text/plain');
      expect(await arrived.text()).toBe('some text');
    },
  },
  {
    name: 'a Request arrives with its method, headers and body',
    async run({ untyped }) {
      const request = new Request('https://example.com/a', { method: 'POST', headers: { 'x-a': '1' }, body: 'text' });
      expect(await untyped.readRequest(request)).toEqual(['https://example.com/a', 'POST', '1', 'text']);
    },
  },
  {
    name: 'a Response arrives with its status, headers and body',
    async run({ untyped }) {
      const arrived = await untyped.response('text', 201);
      expect(arrived).toBeInstanceOf(Response);
      expect([arrived.status, arrived.headers.get('x-a'), await arrived.text()]).toEqual([201, '1', 'text']);
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
