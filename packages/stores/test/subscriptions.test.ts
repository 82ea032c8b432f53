import type { Position, Subscription, TopicItem } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createReader, subscriptionStore } from '../src/subscriptions.ts';

/** What a topic gives that has these events, numbered from 1, behind the last one that is known. */
function published(...events: string[]) {
  return async (since: Position = ['', 0]): Promise<Subscription<string>> => {
    let [, sequence] = since;
    async function* items(): AsyncGenerator<TopicItem<string>, undefined> {
      for (const event of events.slice(sequence)) yield { sequence: ++sequence, event };
    }
    const position = { get: () => ['a.b', sequence] };
    const read = Object.assign(items(), { sequence, [Symbol.dispose]() {} });
    return Object.defineProperty(read, 'position', position) as never;
  };
}

test.each([
  [0, []],
  [2, ['c', 'd']],
  [undefined, ['a', 'b', 'c', 'd']],
])('with `keep` of %s shows the newest items, and tells of all', async (keep, kept) => {
  const told: unknown[] = [];
  const reader = createReader(published('a', 'b', 'c', 'd'), {
    ...(keep !== undefined && { keep }),
    onItem: ({ event }) => told.push(event),
  });
  const end = reader.subscribe(() => {});
  await until(() => told.length === 4);
  expect(told).toEqual(['a', 'b', 'c', 'd']);
  expect(reader.get().items.map(({ event }) => event)).toEqual(kept);
  expect(reader.get()).toMatchObject({ latest: 'd', missed: 0, isPending: false, error: undefined });
  end();
});

test('goes on behind what it has shown when it is begun again, and takes nothing twice', async () => {
  const reader = createReader(published('a', 'b'), {});
  reader.subscribe(() => {})();
  const end = reader.subscribe(() => {});
  await until(() => reader.get().latest === 'b');
  end();
  reader.open = published('a', 'b', 'c');
  reader.subscribe(() => {});
  await until(() => reader.get().latest === 'c');
  expect(reader.get().items.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test('goes on where it began if nothing was shown when it is begun again', async () => {
  const at5: Position = ['a.b', 5];
  const asked: (Position | undefined)[] = [];
  const reader = createReader(async (since) => {
    asked.push(since);
    return published(...'abcde')(since ?? at5);
  }, {});
  for (const since of [undefined, at5]) {
    const end = reader.subscribe(() => {});
    await until(() => asked.length === (since === undefined ? 1 : 2) && !reader.get().isPending);
    end();
  }
  expect(asked).toEqual([undefined, at5]);
});

test('says why the subscription has ended', async () => {
  const reason = new Error('it is over');
  const reader = createReader<string>(() => Promise.reject(reason), {});
  reader.subscribe(() => {});
  await until(() => !reader.get().isPending);
  expect(reader.get().error).toBe(reason);
});

test('goes on behind where it began, if no event has come before it is begun again', async () => {
  const asked: (Position | undefined)[] = [];
  const topic: string[] = ['before'];
  const reader = createReader<string>(async (since) => {
    asked.push(since);
    return published(...topic)(since ?? ['a.b', topic.length]);
  }, {});
  const end = reader.subscribe(() => {});
  await until(() => !reader.get().isPending);
  end();
  topic.push('meanwhile');
  reader.subscribe(() => {});
  await until(() => reader.get().latest === 'meanwhile');
  expect(asked).toEqual([undefined, ['a.b', 1]]);
});

test.each([-1, Number.NaN, '5', null, {}])('refuses to keep %s items', (keep) => {
  const options = { keep: keep as number };
  expect(() => subscriptionStore(published(), options)).toThrow(new TypeError('keep needs a number, 0 or more'));
});
