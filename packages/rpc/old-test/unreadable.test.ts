import { connectOver, type RpcError } from '@lumenize/rpc';
import { expect, test } from 'vitest';
import { probedTransport } from './support/probed-transport.ts';
import { until } from './support/until.ts';

interface Api {
  first(): number;
  today(): unknown;
  last(): number;
}

/** Results of the calls 1, 2 and 3: 7, what a mark stands for, and 8. */
const frame = (mark: object) => JSON.stringify([1, [7], { $: [mark] }, [8]]);

test.each([
  ['is of a type that its engine does not have', frame({ $Temporal: ['PlainDate', '2020-02-29'] }), /no Temporal$/],
  ['is of a class that is not registered', frame({ $class: ['Money', 5] }), /^class Money is not accepted here/],
])('rejects the call whose result %s with the reason', async (_what, answer, reason) => {
  const { open, attempts } = probedTransport();
  const stub = connectOver<Api>(open, 'a test');
  const calls = [stub.first(), stub.today(), stub.last()];
  const outcomes = Promise.allSettled(calls);
  await until(() => attempts.length === 1);
  attempts[0].opened();
  await until(() => attempts[0].sent.length === 1);
  attempts[0].received(answer);
  const [first, today, last] = await outcomes;
  expect(first).toEqual({ status: 'fulfilled', value: 7 });
  expect((today as PromiseRejectedResult).reason).toMatchObject({
    code: 'NOT_CLONEABLE',
    message: expect.stringMatching(reason),
  });
  // What stands behind cannot be read.
  expect(((last as PromiseRejectedResult).reason as RpcError).code).toBe('OUTCOME_UNKNOWN');
});
