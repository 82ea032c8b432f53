import { placeOf, RpcTarget } from '@lumenize/rpc';
import { callContext } from '@lumenize/rpc/server';
import { testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';

class Target extends RpcTarget {
  id(): number {
    return callContext().callId;
  }
}

test('the place of a result has the number by which the method knows its call', async () => {
  using connection = testConnection(() => new Target());
  const { stub } = connection;
  const calls = [stub.id(), stub.id()];
  expect(calls.map((call) => placeOf(call).callId)).toEqual(await Promise.all(calls));
  expect([placeOf(stub).callId, placeOf(stub.id).callId]).toEqual([undefined, undefined]);
});
