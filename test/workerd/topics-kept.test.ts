import { env, runInDurableObject } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { expect, test, vi } from 'vitest';
import type { IdentityObject, IdentityTarget } from './identity-object.ts';
import { connectToSelf } from './self-transport.ts';

const { IDENTITY } = env as unknown as { IDENTITY: DurableObjectNamespace<IdentityObject> };

test('a subscription does not keep the calls that were sent along with it', async () => {
  const stub = connectToSelf<IdentityTarget>('/identified/identity/kept', {
    token: 'Ada',
    reconnect: { minDelayMs: 10, maxDelayMs: 10 },
  });
  // In one turn, and so in one frame.
  const [subscription, length] = await Promise.all([stub.subscribe(0), stub.lengthOf('x'.repeat(1_000_000))]);
  expect(length).toBe(1_000_000);
  const { bytesSent } = connection(stub).statistics;
  await runInDurableObject(IDENTITY.getByName('kept'), (object) => object.endConnections());
  await vi.waitUntil(() => connection(stub).statistics.reconnects === 1);
  await stub.publish('after');
  const events = subscription[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ sequence: 1, event: 'after' });
  expect(connection(stub).statistics.bytesSent - bytesSent).toBeLessThan(10_000);
  connection(stub).close();
});

const TOPICS = 50;

test('a topic that is deleted leaves nothing in storage, and its subscribers are told', async () => {
  const stub = connectToSelf<IdentityTarget>('/identified/identity/deleted', { token: 'Ada' });
  const names = Array.from({ length: TOPICS }, (_, place) => `room ${place} ${'x'.repeat(300)}`);
  const object = IDENTITY.getByName('deleted');
  const count = () => runInDurableObject(object, (each) => each.storedOfTopics());
  const before = await count();
  await runInDurableObject(object, (each) => {
    for (const name of names) each.named(name).publish(name);
  });
  expect((await count()).rows).toBeGreaterThan(before.rows);
  const subscription = (await stub.subscribeTo(names[0]))[Symbol.asyncIterator]();
  await runInDurableObject(object, (each) => {
    for (const name of names) each.deleteTopic(name);
  });
  expect(await count()).toEqual(before);
  // A topic of the same name is another one, which its subscribers are told.
  await runInDurableObject(object, (each) => void each.named(names[0]).publish('new'));
  expect(await nextOf(subscription)).toHaveProperty('missed');
  expect(await nextOf(subscription)).toMatchObject({ event: 'new' });
  connection(stub).close();
});

/** Returns the next item of a subscription; undefined if there is none for a while. */
async function nextOf(subscription: AsyncIterator<unknown>): Promise<unknown> {
  return Promise.race([subscription.next().then(({ value }) => value), scheduler.wait(1000)]);
}
