import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { type ConnectOptions, connection, type Stub } from '@lumenize/rpc';
import { TestNetwork } from '@lumenize/rpc/testing';
import { connectToObject } from '@lumenize/rpc/testing/workers';
import { follow, type StateStore } from '@lumenize/state';
import { stringify } from '@lumenize/structured-clone';
import { expect } from 'vitest';
import type { Records, StateApi, StateObject, Step } from './state-object.ts';

const { STATE } = env as unknown as { STATE: DurableObjectNamespace<StateObject> };

export function stateObject(name: string): DurableObjectStub<StateObject> {
  return STATE.getByName(name);
}

/** A client that follows a state, and its network. */
export interface Client extends Disposable {
  readonly stub: Stub<StateApi>;
  readonly store: StateStore<Records>;
  readonly network: TestNetwork;
}

export function client(name: string, identity = 'ada', options: ConnectOptions = {}): Client {
  const network = new TestNetwork();
  const stub = connectToObject<StateApi>(() => stateObject(name), {
    identity,
    wrapTransport: network.wrap,
    ...options,
  }) as Stub<StateApi>;
  const store = follow(stub, (api, since) => api.follow(since));
  return { stub, store, network, [Symbol.dispose]: () => connection(stub).close() };
}

/** Resolves when a store has something. */
export async function until(store: StateStore<Records>, isSo: (store: StateStore<Records>) => boolean): Promise<void> {
  if (isSo(store)) return;
  await new Promise<void>((resolve) => {
    const stop = store.subscribe(() => {
      if (!isSo(store)) return;
      stop();
      resolve();
    });
  });
}

export const live = (store: StateStore<Records>) => until(store, ({ status }) => status === 'live');

/** Changes a state from inside of its object: also where connections have just been lost. Returns the version. */
export async function inside(name: string, ...steps: Step[]): Promise<number> {
  return runInDurableObject(stateObject(name), (object) => {
    object.take(steps);
    return object.state.position[1];
  });
}

export async function evict(name: string, webSockets: 'hibernate' | 'close' = 'hibernate'): Promise<void> {
  await evictDurableObject(stateObject(name), { webSockets });
}

/** What a store shows, as text: two of them are alike byte by byte. */
export function shown(store: StateStore<Records>): string {
  return stringify({ cards: [...store.all('cards')], notes: [...store.all('notes')] });
}

/** What an object has, as text. */
export async function had(name: string): Promise<string> {
  return runInDurableObject(stateObject(name), (object) => stringify(object.all));
}

/** Expects that stores show what their object has. */
export async function expectInStep(name: string, ...stores: StateStore<Records>[]): Promise<void> {
  const version = await runInDurableObject(stateObject(name), (object) => object.state.position[1]);
  for (const store of stores)
    await until(store, ({ position, status }) => status === 'live' && position![1] >= version);
  const text = await had(name);
  for (const store of stores) expect(shown(store)).toBe(text);
}
