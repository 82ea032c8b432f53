import { env, exports } from 'cloudflare:workers';
import { connectToObject, connectToWorker, hibernate } from '@lumenize/rpc/testing/workers';
import { expect, test } from 'vitest';
import type { CounterApi } from '../src/counter-api.ts';

test('counts, and still knows after hibernation', async () => {
  const object = env.COUNTER.getByName('test');
  const counter = connectToObject(object);
  expect(await Promise.all([counter.increment(), counter.increment(10)])).toEqual([1, 11]);
  await hibernate(object);
  expect(await counter.getValue()).toBe(11);
});

test('refuses what is no number', async () => {
  const counter = connectToObject(env.COUNTER.getByName('refusing'));
  await expect(counter.increment('5' as never)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
  expect(await counter.getValue()).toBe(0);
});

test('tells whoever watches of each new value', async () => {
  using counter = connectToWorker<CounterApi>(exports.default, '/rpc/counter/watched');
  const values = await counter.watch();
  await counter.increment(5);
  for await (const { event } of values) {
    expect(event).toBe(5);
    break;
  }
});
