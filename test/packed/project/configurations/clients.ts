// Compiled under every configuration in which a client may be: with and without what declares pages, Node and Workers. Each
// mistake is found, and nothing else: a type that is not declared there would be `any`, and let all of them pass.

import { describeFrame } from '@lumenize/inspect';
import {
  type CallOptions,
  connect,
  connection,
  type RemotePromise,
  type Stub,
  type Subscription,
  withOptions,
} from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connect as connectCore } from '@lumenize/rpc/core';
import { connectHttp } from '@lumenize/rpc/http';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { logCalls } from '@lumenize/rpc/observe';
import { traceCalls } from '@lumenize/rpc/opentelemetry';
import { connectPort, servePort } from '@lumenize/rpc/port';
import { connectSocket } from '@lumenize/rpc/socket';
import { testConnection } from '@lumenize/rpc/testing';
import { stubStore, subscriptionStore } from '@lumenize/stores';
import { decode, encode } from '@lumenize/structured-clone';

interface Item {
  id: number;
  done?: boolean;
}

interface Api {
  items(): Item[];
  byId(): Map<number, Item>;
  tags(): Set<string>;
  add(item: Item): Promise<number>;
  watch(listener: (item: Item) => void): () => void;
  changes(): Subscription<Item>;
  count(): AsyncIterable<number>;
  child(): Child;
}

class Child extends RpcTarget {
  name(): string {
    return '';
  }
  get size(): number {
    return 1;
  }
}

/** Finds `any`, which is of every type. */
type IsAny<T> = 0 extends 1 & T ? true : false;

function none<T>(..._isAny: IsAny<T> extends true ? [never] : []): void {}

const stubs = [
  connect<Api>('wss://example.com/rpc/x/main'),
  connectCore<Api>('wss://example.com/rpc/x/main'),
  connectHttp<Api>('https://example.com/rpc/x/main'),
  connectPort<Api>({ postMessage: () => {} }),
  connectBinding<Api>({}),
  connectSocket<Api>(() => null as never),
] as const;
none<(typeof stubs)[0]>();
none<(typeof stubs)[1]>();
none<(typeof stubs)[2]>();
none<(typeof stubs)[3]>();
none<(typeof stubs)[4]>();
none<(typeof stubs)[5]>();

export async function use(api: Stub<Api>): Promise<void> {
  const items: Item[] = await api.items();
  const ids: number[] = await api.items().map((each) => each.id);
  const names: string[] = await api.items().map((_item) => api.child().name());
  const tags: Set<string> = await api.tags();
  const item: Item | undefined = (await api.byId()).get(1);
  for await (const { event } of await api.changes()) none<typeof event>();
  for await (const count of api.count()) none<typeof count>();
  const stop: Stub<() => void> = await api.watch((each) => none<typeof each>());
  stop();
  stop[Symbol.dispose]();
  api[Symbol.dispose]();
  const size: number = await api.child().size;
  none<typeof api>();
  none<typeof api.items>();
  none<ReturnType<typeof api.items>>();
  none<typeof stop>();
  void [items, ids, names, tags, item, size];

  // @ts-expect-error there is no such method
  api.item();
  // @ts-expect-error a method is missing
  api.child().size();
  // @ts-expect-error it has a number
  await api.add({ id: 'x' });
  // @ts-expect-error it is a number
  const wrong: string = await api.add({ id: 1 });
  // @ts-expect-error the listener gets an item
  api.watch((each: string) => void each);
  // @ts-expect-error what is awaited has no member of that name
  (await api.items())[0].text;
  // @ts-expect-error a topic has no such member
  (await api.changes()).publish;
  // @ts-expect-error the function takes nothing
  stop(1);
  void wrong;
}

export function mistakes(api: Stub<Api>, promise: RemotePromise<Item>): void {
  // @ts-expect-error an address is a text, or a URL
  connect<Api>(5);
  // @ts-expect-error there is no such option
  connect<Api>('x', { tokens: 'y' });
  // @ts-expect-error an address is a text, or a URL
  connectCore<Api>(5);
  // @ts-expect-error an address is a text, or a URL
  connectHttp<Api>(5);
  // @ts-expect-error headers are no number
  connectHttp<Api>('x', { headers: 5 });
  // @ts-expect-error values of headers are texts
  connectHttp<Api>('x', { headers: { a: 1 } });
  // @ts-expect-error a function makes requests, and returns a promise
  connectHttp<Api>('x', { fetch: () => 5 });
  // @ts-expect-error a port posts messages
  connectPort<Api>({});
  // @ts-expect-error it is disposed of, not closed
  servePort({ postMessage: () => {} }, new Child()).close();
  // @ts-expect-error a signal is no number
  withOptions(api, { signal: 5 });
  // @ts-expect-error a promise of an item is no text
  const text: string = promise.id;
  // @ts-expect-error the state is one of some texts
  connection(api).state === 'x';
  // @ts-expect-error the child has no such method
  connectInMemory(new Child()).nothing();
  // @ts-expect-error the child has no such method
  testConnection(() => new Child()).stub.nothing();
  // @ts-expect-error there is no such option
  logCalls({ nothing: true });
  // @ts-expect-error a tracer is an object
  traceCalls(5);
  // @ts-expect-error a frame is text or bytes
  describeFrame(5);
  // @ts-expect-error an address is a text, or a URL
  stubStore<Api>(5);
  // @ts-expect-error it is a function
  subscriptionStore(5);
  // @ts-expect-error what is decoded is text or bytes
  decode(5);
  // @ts-expect-error there is no such option
  encode(5, { nothing: true });
  void text;
}

export function rightly(options: CallOptions): void {
  connectHttp<Api>('x', { headers: { a: 'b' } });
  connectHttp<Api>('x', { headers: [['a', 'b']] });
  connectHttp<Api>('x', { headers: new Map([['a', 'b']]) });
  connectHttp<Api>('x', { headers: async () => ({ a: 'b' }) });
  connect<Api>('x', { token: async () => 'y', onError: () => {} } as object);
  none<typeof options.signal>();
  const served = servePort({ postMessage: () => {} }, new Child());
  served[Symbol.dispose]();
  none<typeof served>();
  const tested = testConnection(() => new Child());
  tested[Symbol.dispose]();
  tested.hold()[Symbol.dispose]();
  none<typeof tested>();
  none<ReturnType<typeof tested.hold>>();
}
