import type { Subscription, TopicItem } from '@lumenize/rpc';
import { expect, inject, test } from 'vitest';
import { createRandom } from '../../packages/structured-clone/test/fuzz/random.ts';
import { connectToSelf } from './self-transport.ts';
import type { TickerApi } from './topics-object.ts';
import { evict, publish } from './topics-support.ts';

const { seed } = (inject as (key: string) => { seed: number })('fuzz');
const STEPS = 60;

/** Whatever happens to connections and the object, each item follows the one before, and says what it is. */
test.each([0, 1, 2, 3, 4])(`a subscription is exact, whatever happens (${seed} + %s)`, async (run) => {
  const name = `random-${run}`;
  const { below } = createRandom(seed, run);
  let newest = 0;
  const readers: Reader[] = [];
  const actions = [
    async () => {
      const first = newest + 1;
      newest += 1 + below(150);
      await publish(name, 'prices', ...Array.from({ length: newest - first + 1 }, (_, place) => first + place));
    },
    async () => {
      if (readers.length > 3) readers.splice(below(readers.length), 1)[0].stub[Symbol.dispose]();
      const stub = connectToSelf<TickerApi>(`/rpc/ticker/${name}`, {
        reconnect: { minDelayMs: 1, maxDelayMs: 5 },
      });
      const since = below(newest + 1);
      readers.push({ stub, subscription: await stub.subscribe({ since }), at: since });
    },
    async () => {
      for (let count = below(300); count > 0; count--) await readAll(readers, newest);
    },
    () => evict(name),
    () => evict(name, 'close'),
  ];
  for (let step = 0; step < STEPS; step++) {
    // Which also wakes an object that has been evicted.
    await publish(name, 'prices');
    await actions[below(actions.length)]();
  }
  await publish(name, 'prices', ++newest);
  while (readers.some(({ at }) => at < newest)) await readAll(readers, newest);
  expect(readers.map(({ at }) => at)).toEqual(readers.map(() => newest));
  for (const { stub } of readers) stub[Symbol.dispose]();
});

interface Reader {
  readonly stub: Disposable;
  readonly subscription: Subscription<unknown>;
  at: number;
}

/** Reads an item of each that is behind, and checks it. */
async function readAll(readers: readonly Reader[], newest: number): Promise<void> {
  for (const reader of readers) {
    if (reader.at === newest) continue;
    const item: TopicItem<unknown> = (await reader.subscription.next()).value!;
    if (item.missed === undefined) expect(item).toEqual({ sequence: reader.at + 1, event: reader.at + 1 });
    else expect(item).toEqual({ sequence: reader.at + item.missed, missed: item.missed });
    reader.at = item.sequence;
  }
}
