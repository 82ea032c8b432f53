import { env, SELF } from 'cloudflare:test';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectHttp } from '@lumenize/rpc/http';
import { describe, expect, test } from 'vitest';
import type { Register } from './gated-object.ts';
import { connectToSelf } from './self-transport.ts';

const NAMESPACES = env as unknown as Record<string, DurableObjectNamespace>;

/** What each transport gives: the same methods, whoever's stub it is. */
type Connect = (binding: string, name: string) => Promise<Register & Disposable>;

const http = { fetch: (url: string, init: RequestInit) => SELF.fetch(url, init) };

const TRANSPORTS: Readonly<Record<string, Connect>> = {
  'a socket': async (binding, name) => connectToSelf<Register>(`/rpc/${binding}/${name}`) as never,
  HTTP: async (binding, name) => connectHttp<Register>(`http://worker.test/rpc/${binding}/${name}`, http) as never,
  'a binding': async (binding, name) =>
    connectBinding<Register>(NAMESPACES[binding.toUpperCase().replaceAll('-', '_')].getByName(name)) as never,
};

const TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe.each(['gated', 'gated-without-sql'])(
  'calls of one turn of an object (%s), whose methods wait for storage,',
  (binding) => {
    let objects = 0;

    describe.each(Object.entries(TRANSPORTS))('over %s', (transport, connect) => {
      const open = () => connect(binding, `${transport} ${objects++}`);

      test('see what those before them have written', async () => {
        using stub = await open();
        expect(await Promise.all(TEN.map(() => stub.increment()))).toEqual(TEN);
      });

      test('run beside each other where they wait for something else', async () => {
        using stub = await open();
        expect(await Promise.all([stub.together(3), stub.together(3), stub.together(3)])).toEqual([3, 3, 3]);
      });

      test('begin in the order they were made', async () => {
        using stub = await open();
        const names = Array.from({ length: 30 }, (_, index) => `call ${index}`);
        // Of every third nothing has to be waited for.
        await Promise.all(names.map((name, index) => (index % 3 === 1 ? stub.beginNow(name) : stub.begin(name))));
        expect(await stub.begun()).toEqual(names);
      });

      test('see what one has written that holds back all others', async () => {
        using stub = await open();
        expect(await Promise.all([stub.initialize(), stub.increment(), stub.initialize(), stub.increment()])).toEqual([
          1, 2, 3, 4,
        ]);
      });
    });

    describe.each(Object.entries(TRANSPORTS))('over %s', (transport, connect) => {
      const open = () => connect(binding, `more of ${transport} ${objects++}`);

      test('see it too where they wait for what they are made on', async () => {
        using stub = await open();
        const later = stub.later() as never as Register;
        const chained = Array.from({ length: 5 }, () => [later.increment(), later.self.increment()]).flat();
        expect(await Promise.all(chained)).toEqual(TEN);
      });

      test('see it too where a callback makes them', async () => {
        using stub = await open();
        const list = stub.list(10) as never as number[];
        expect(await (list.map(() => stub.increment()) as never)).toEqual(TEN);
      });

      test('are one run where nothing waits', async () => {
        using stub = await open();
        const calls = Array.from({ length: 100 }, () => stub.run());
        expect(await Promise.all(calls)).toEqual(calls.map(() => 1));
      });

      test('do not let calls of a later turn come first', async () => {
        using stub = await open();
        await stub.begun();
        const first = ['a', 'b', 'c', 'd'].map((name) => stub.begin(name));
        await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => resolve(0)))));
        const second = stub.beginNow('e');
        await Promise.all([...first, second]);
        expect(await stub.begun()).toEqual(['a', 'b', 'c', 'd', 'e']);
      });
    });
  },
);
