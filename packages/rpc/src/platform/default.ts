// Used where there is no Workers runtime: in browsers, and for targets that are served in Node.

/**
 * The base class of all targets. A class that extends it opts in to remote calls. In a Worker this is the platform's
 * own class.
 */
export const RpcTarget = class RpcTarget {} as unknown as abstract new () => RpcTarget;

/**
 * The mark of the platform's class. It is written out because a page has no declarations of the platform, and without
 * it the class would have no type.
 */
export interface RpcTarget {
  readonly __RPC_TARGET_BRAND: never;
}

/** The base class of stubs. */
export const StubBase = class {};

/**
 * Returns the object that the platform passes on in place of a stub. Undefined here, as this platform passes none on.
 */
export const lend: ((stub: object) => object) | undefined = undefined;

/** True if a client may send at any time, even in callbacks of garbage collection. */
export const SENDS_AT_ANY_TIME: boolean = true;

/** Returns true for a stub of the platform's own RPC, or for a binding. Always false here: there are none. */
export function isNativeStub(_value: unknown): boolean {
  return false;
}

/** The part of the class `AsyncLocalStorage` of Node and Workers that is used here. */
export interface AsyncStorage<Store> {
  run<Result>(store: Store, run: () => Result): Result;
  getStore(): Store | undefined;
}

/** The class itself. */
export type AsyncStorageClass = new <Store>() => AsyncStorage<Store>;

/** Creates a store whose value stays known after an `await`; undefined in browsers, which have none yet. */
export function createAsyncStorage<Store>(): AsyncStorage<Store> | undefined {
  const hooks = (globalThis as NodeGlobals).process?.getBuiltinModule?.('node:async_hooks');
  return hooks && new hooks.AsyncLocalStorage<Store>();
}

/** The globals of Node that are used. */
interface NodeGlobals {
  process?: { getBuiltinModule?(name: 'node:async_hooks'): { AsyncLocalStorage: AsyncStorageClass } };
}
