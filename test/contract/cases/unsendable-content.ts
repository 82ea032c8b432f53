import { part } from '../case.ts';
import type { Untyped } from '../context.ts';
import { expect } from '../expect.ts';

/** The same error as that of a plain argument or result. A path in the frame would begin with an index. */
function notCloneable(method: string): object {
  const message = new RegExp(`${method}\\(\\).* at \\w+( \\d)?(\\.later)?\\.users\\[0\\]\\.token: symbols`);
  return { name: 'RpcError', code: 'NOT_CLONEABLE', message };
}

const UNSENDABLE = { users: [{ token: Symbol('x') }] };

/** What is sent later than the value that it came with, and cannot be sent. */
export const UNSENDABLE_CONTENT = part(
  'unsendable content',
  [
    {
      name: 'an item of an async generator that cannot be sent is NOT_CLONEABLE, with its method and the path in the item',
      async run({ untyped }) {
        const items = await untyped.unsendableItems();
        await expect(readAll(items)).rejects.toMatchObject(notCloneable('unsendableItems'));
      },
    },
    {
      name: 'a chunk of a ReadableStream that cannot be sent is NOT_CLONEABLE, with its method and the path in the chunk',
      async run({ untyped }) {
        const reader = (await untyped.unsendableChunks()).getReader();
        const reading = (async () => {
          while (!(await reader.read()).done);
        })();
        await expect(reading).rejects.toMatchObject(notCloneable('unsendableChunks'));
      },
    },
    {
      name: 'an item of a generator in the arguments that cannot be sent is NOT_CLONEABLE, with its method and the path in the item',
      async run({ untyped }) {
        const told = await untyped.whatTheIterableThrows(itemsOf('first', UNSENDABLE));
        expect(told).toMatchObject(notCloneable('whatTheIterableThrows'));
      },
    },
    {
      name: 'an item above the limit of messages is TOO_LARGE, and names the limit',
      needs: ['largeValues'],
      async run({ connect }) {
        const small = connect({ limits: { maxMessageBytes: 10_000 } });
        const told = await small.whatTheIterableThrows(itemsOf('first', 'x'.repeat(20_000)));
        const message = /whatTheIterableThrows\(\).*maxMessageBytes of 10000/;
        expect(told).toMatchObject({ name: 'RpcError', code: 'TOO_LARGE', message });
      },
    },
    {
      name: 'the content of a promise in a result that cannot be sent is NOT_CLONEABLE, with its method and the path in it',
      needs: ['references'],
      async run({ untyped }) {
        // It may be awaited before the result is sent, or afterwards.
        const whole = (async () => (await untyped.unsendablePromise()).later)();
        await expect(whole).rejects.toMatchObject(notCloneable('unsendablePromise'));
      },
    },
    {
      name: 'the content of a promise in the arguments that cannot be sent is NOT_CLONEABLE, with its method and the path in it',
      needs: ['references'],
      async run({ untyped }) {
        const call = untyped.awaitInside({ value: Promise.resolve(UNSENDABLE) });
        const message = /awaitInside\(\).* at \w+( \d)?(\.value)?\.users\[0\]\.token: symbols/;
        await expect(call).rejects.toMatchObject({ name: 'RpcError', code: 'NOT_CLONEABLE', message });
      },
    },
  ],
  ['channels', 'state'],
);

async function* itemsOf(...items: unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

async function readAll(items: Untyped): Promise<void> {
  for await (const _item of items);
}
