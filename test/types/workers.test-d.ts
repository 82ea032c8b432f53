import type { CallOptions, connect, Stub } from '@lumenize/rpc';
import type { ConnectHttpOptions } from '@lumenize/rpc/http';
import { type Caller, callContext, type RouteRpcOptions, RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';
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

interface Env {
  PAGE: DurableObjectNamespace<Page>;
  LIMITER: DurableObjectNamespace;
  SECRET: string;
  SERVICE: Fetcher;
}

declare const request: Request;

test('the bindings that are served are Durable Objects of the environment', () => {
  const env = {} as Env;
  const named = () => routeRpc(request, env, { bindings: ['PAGE', 'LIMITER'], prefix: '/api' });
  // @ts-expect-error there is no such binding
  const misspelt = () => routeRpc(request, env, { bindings: ['PAGES'] });
  // @ts-expect-error a text is no object
  const secret = () => routeRpc(request, env, { bindings: ['SECRET'] });
  // @ts-expect-error a service is no object
  const service = () => routeRpc(request, env, { bindings: ['SERVICE'] });
  const options: RouteRpcOptions<Env> = { bindings: ['PAGE'] };
  const apart = () => routeRpc(request, env, options);
  const general: RouteRpcOptions = { allowedOrigins: ['*'] };
  const untyped = () => routeRpc(request, env as object, { ...general, bindings: ['ANY'] });
  // biome-ignore lint/suspicious/noExplicitAny: as of a framework without types of bindings
  const any = () => routeRpc(request, env as any, { bindings: ['ANY'] });
  const indexed = () =>
    routeRpc(request, env as unknown as Record<string, DurableObjectNamespace>, { bindings: ['ANY'] });
  void [named, misspelt, secret, service, apart, untyped, any, indexed];
});
