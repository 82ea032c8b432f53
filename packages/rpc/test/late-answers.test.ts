import { RpcTarget, testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';
import { until } from './support/serve.ts';

class Asker extends RpcTarget {
  ask(callback: () => Promise<string>): Promise<string> {
    return callback();
  }
}

test('an answer to a callback over a lost connection is not taken for that of another callback', async () => {
  using connected = testConnection(() => new Asker());
  const { stub } = connected;
  const early = Promise.withResolvers<string>();
  const late = Promise.withResolvers<string>();
  const asked: string[] = [];
  const ask = (answer: Promise<string>, name: string) =>
    stub.ask(() => {
      asked.push(name);
      return answer;
    });
  const first = ask(early.promise, 'first');
  await until(() => asked.length === 1);
  connected.cut();
  await expect(first).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });

  const second = ask(late.promise, 'second');
  await until(() => asked.length === 2);
  early.resolve('of the first');
  await early.promise;
  late.resolve('of the second');
  expect(await second).toBe('of the second');
  expect(connected.frames.filter(({ connection, direction }) => connection === 2 && direction === 'up')).toHaveLength(
    2,
  );
});
