// The parts of the Workers runtime that the library uses. Bundlers for Workers choose this file by the condition
// `workerd`.
import * as workers from 'cloudflare:workers';
import type { AsyncStorage, AsyncStorageClass } from './default.ts';

/**
 * The base class of targets and stubs. In its own RPC, the platform passes instances of this class and functions by
 * reference.
 */
export { RpcTarget, RpcTarget as StubBase } from 'cloudflare:workers';
export type { AsyncStorage, AsyncStorageClass } from './default.ts';

/**
 * Returns the object that the platform passes on in place of a stub, which it asks for by calling `dup`. The platform
 * disposes of that object when its receiver has released it, and the stub itself stays usable.
 */
export function lend(stub: object): object {
  return new Proxy(stub, { get: (lent, key) => (key === Symbol.dispose ? undefined : Reflect.get(lent, key)) });
}

/**
 * False, because callbacks of garbage collection run outside of all requests, where nothing can be sent. Their signals
 * wait for the next message.
 */
export const SENDS_AT_ANY_TIME: boolean = false;

/** Classes that the runtime has but its types do not declare, so they are looked up by name. */
const CLASSES = ['RpcStub', 'RpcPromise', 'RpcProperty', 'ServiceStub']
  .map((name) => (workers as unknown as Record<string, (abstract new () => object) | undefined>)[name])
  .filter((type) => type !== undefined);

/**
 * Returns true for a stub of the platform's own RPC, or for a binding such as a service or the stub of a Durable
 * Object. Also returns true for a function that is an instance of the platform's `RpcTarget`, such as a stub of Cap'n
 * Web.
 */
export function isNativeStub(value: unknown): boolean {
  return (
    CLASSES.some((type) => value instanceof type) || (typeof value === 'function' && value instanceof workers.RpcTarget)
  );
}

/** The name is not written into the `import`, so that bundlers leave it to the runtime, which may not have the module. */
const ASYNC_HOOKS: string = 'node:async_hooks';

/**
 * Undefined in a Worker without the APIs of Node. A static import would keep such a Worker from starting, and the first
 * use of the global `process` loads a dozen modules, which takes five milliseconds.
 */
const AsyncLocalStorage: AsyncStorageClass | undefined = await import(ASYNC_HOOKS).then(
  (module) => module.AsyncLocalStorage,
  () => undefined,
);

/** Creates a store whose value stays known after an `await`; undefined if this Worker has none. */
export function createAsyncStorage<Store>(): AsyncStorage<Store> | undefined {
  return AsyncLocalStorage && new AsyncLocalStorage<Store>();
}
