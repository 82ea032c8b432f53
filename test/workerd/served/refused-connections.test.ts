import { connection, type RpcError } from '@lumenize/rpc';
import { beforeAll, describe, expect, test } from 'vitest';
import { FaultyClient } from '../../support/faulty-socket.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

/** What is used here of `test/workerd/access-object.ts`. */
interface AccessTarget {
  whoAmI(): unknown;
  publish(event: string): void;
}

/** A token that the Worker believes. */
function signedToken({ name, expiresInMs }: { name: string; expiresInMs?: number }): string {
  return `${JSON.stringify({ name, ...(expiresInMs && { expiresAt: Date.now() + expiresInMs }) })}.signed`;
}

describe('a connection that is refused over real sockets', () => {
  let worker: SharedWorker;

  beforeAll(async () => {
    worker = await sharedWorker();
  });

  const url = () => worker.url('/with-token/access/refused');
  const outcome = (call: PromiseLike<unknown>) =>
    call.then(
      () => 'ran',
      ({ code, retryable }: RpcError) => `${code} ${retryable}`,
    );

  test('because its token has expired has run nothing, and trying again does not help', async () => {
    using client = new FaultyClient<AccessTarget>(url(), { token: signedToken({ name: 'ada', expiresInMs: -1 }) });
    const { stub } = client;
    const states: string[] = [];
    connection(stub).onStateChange((state) => states.push(state));
    const calls = [outcome(stub.whoAmI()), outcome(stub.publish('news'))];
    expect(await Promise.all(calls)).toEqual(['EXPIRED false', 'EXPIRED false']);
    expect(await outcome(stub.whoAmI())).toBe('EXPIRED false');
    // It was never open, not even for a moment.
    expect([states, client.connections]).toEqual([['connecting', 'closed'], 1]);
    expect(connection(stub).statistics.framesSent).toBe(0);
  });

  test('because its token has expired is made again with a new one', async () => {
    const tokens = [-1, 60_000].map((expiresInMs) => signedToken({ name: 'ada', expiresInMs }));
    using client = new FaultyClient<AccessTarget>(url(), { token: () => tokens.shift()! });
    expect(await client.stub.whoAmI()).toMatchObject({ identity: { name: 'ada' } });
    expect(client.connections).toBe(2);
  });

  test('because the caller may not connect has run nothing', async () => {
    using client = new FaultyClient<AccessTarget>(url(), { token: signedToken({ name: 'mallory' }) });
    expect(await outcome(client.stub.whoAmI())).toBe('DENIED false');
    expect(connection(client.stub).statistics.framesSent).toBe(0);
  });
});
