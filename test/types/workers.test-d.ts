import type { CallOptions, connect, Stub } from '@lumenize/rpc';
import type { ConnectHttpOptions } from '@lumenize/rpc/http';
import { type Caller, callContext, RpcObject, RpcTarget } from '@lumenize/rpc/server';
import { expectTypeOf, test } from 'vitest';
// Not the entry, which needs the types of the plugin that tests inside of the Workers runtime.
import { connectToObject } from '../../packages/rpc/src/testing/workers/connect.ts';

interface User {
  name: string;
}

class Api extends RpcTarget {
  title(): string {
    return '';
  }
}

class Page extends RpcObject {
  target(_caller: Caller<User>): Api {
    return new Api();
  }
}

declare const object: DurableObjectStub<Page>;

test('a connection to an object knows what its class serves, and to whom', () => {
  const open = () => connectToObject(object, { identity: { name: 'Ada' } });
  expectTypeOf(open).returns.toEqualTypeOf<Stub<Api>>();
  // @ts-expect-error users have names
  const nameless = () => connectToObject(object, { identity: { age: 5 } });
  // @ts-expect-error a text is no user
  const text = () => connectToObject(() => object, { identity: 'Ada' });
  const named = () => connectToObject<Api, Page>(object, { identity: { name: 'Ada' } });
  // @ts-expect-error users have names, also where the class is named
  const neither = () => connectToObject<Api, Page>(object, { identity: {} });
  void [open, nameless, text, named, neither];
});

test('the types of the platform are its own where something declares them', () => {
  expectTypeOf(callContext().signal).toEqualTypeOf<AbortSignal>();
  expectTypeOf<CallOptions['signal']>().toEqualTypeOf<AbortSignal | undefined>();
  expectTypeOf<Parameters<typeof connect>[0]>().toEqualTypeOf<string | URL>();
  expectTypeOf<NonNullable<ConnectHttpOptions['fetch']>>().toEqualTypeOf<
    (url: string, init: RequestInit) => Promise<Response>
  >();
  const options: ConnectHttpOptions = { headers: new Headers() };
  void options;
});
