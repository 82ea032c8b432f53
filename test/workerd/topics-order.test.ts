import { env, runInDurableObject } from 'cloudflare:test';
import { connection, type Stub } from '@lumenize/rpc';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { IdentityObject, IdentityTarget } from './identity-object.ts';
import { connectToSelf } from './self-transport.ts';

const { IDENTITY } = env as unknown as { IDENTITY: DurableObjectNamespace<IdentityObject> };

const CALLS = 40;

/** Answers of calls that publish, and the events, in the order in which a page learns of them. */
class Order {
  readonly #seen = new Set<number>();
  /** The numbers of the events whose answer came first. */
  readonly early: number[] = [];

  async follow(stub: Stub<IdentityTarget>): Promise<void> {
    const subscription = await stub.subscribe(0);
    void (async () => {
      for await (const { sequence } of subscription) this.#seen.add(sequence);
    })().catch(() => {});
  }

  /** Makes calls whose answers are the numbers of the events that they have published. */
  async publish(stub: Stub<IdentityTarget>): Promise<void> {
    const calls = Array.from({ length: CALLS }, (_, place) => stub.publishOnce(`${place}`));
    await Promise.all(calls.map(async (call) => this.#note(await call)));
  }

  #note(sequence: number): void {
    if (!this.#seen.has(sequence)) this.early.push(sequence);
  }

  /** Waits until every event has come. */
  async complete(count: number): Promise<void> {
    await vi.waitUntil(() => this.#seen.size === count);
  }
}

function open(name: string): Stub<IdentityTarget> {
  const stub = connectToSelf<IdentityTarget>(`/identified/identity/${name}`, {
    token: 'Ada',
    reconnect: { minDelayMs: 60_000, maxDelayMs: 60_000 },
    maxWaitMs: 20_000,
  });
  onTestFinished(() => connection(stub).close());
  return stub;
}

test('an answer comes after the event of its call', async () => {
  const stub = open('in order');
  const order = new Order();
  await order.follow(stub);
  await order.publish(stub);
  expect(order.early).toEqual([]);
  await order.complete(CALLS);
});

test('an answer comes after the event of its call where the object ended in between', async () => {
  const stub = open('in order after a loss');
  const order = new Order();
  await order.follow(stub);
  const object = IDENTITY.getByName('in order after a loss');
  await expect(runInDurableObject(object, (_object, state) => state.abort('a crash'))).rejects.toThrow('a crash');
  await vi.waitUntil(() => connection(stub).state === 'reconnecting');
  const published = order.publish(stub);
  connection(stub).open();
  await published;
  await order.complete(CALLS);
  expect(order.early).toEqual([]);
});

test('an answer that was lost comes after the event of its call', async () => {
  const stub = open('lost answers');
  const order = new Order();
  await order.follow(stub);
  await runInDurableObject(IDENTITY.getByName('lost answers'), (object) => object.put('endsConnections', CALLS));
  const published = order.publish(stub);
  await vi.waitUntil(() => connection(stub).state === 'reconnecting');
  connection(stub).open();
  await published;
  await order.complete(CALLS);
  expect(order.early).toEqual([]);
});
